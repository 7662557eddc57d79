internal import EventJournal
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// Reads the sections of a configuration into settings.
struct SettingsReader {
    /// The most probes that are accepted.
    static let mostProbes = 10_000
    /// The most targets that are accepted.
    static let mostTargets = MonitorConfiguration.mostTargets
    /// The longest time between two checks.
    static let longestInterval: Duration = .seconds(30 * 86_400)

    private let notes: Notes
    private let serializer: RequestSerializer
    private var settings = Settings()

    /// The settings in a root table; what is wrong is in the notes.
    static func settings(of root: Node, notes: Notes, serializer: RequestSerializer) -> Settings {
        var reader = SettingsReader(notes: notes, serializer: serializer)
        guard case .table(let members) = root.value else { return reader.settings }
        reader.read(TableReader(members, path: KeyPath([]), origin: root.origin, notes: notes))
        return reader.settings
    }

    private init(notes: Notes, serializer: RequestSerializer) {
        self.notes = notes
        self.serializer = serializer
    }

    private mutating func read(_ root: TableReader) {
        var root = root
        settings.agent = AgentReader.settings(of: root.section("agent"))
        readSettle(root.section("settle"))
        readInterfaces(root.section("interfaces"))
        readMetered(root.section("metered"))
        readPortal(root.section("portal"))
        let quorumOrigin = readConnectivity(root.section("connectivity"))
        readLimits(root.section("limits"))
        if let targets = root.table("target") { readTargets(targets) }
        let material = ProbeMaterial(serializer: serializer, portalInterval: settings.portal.recheck)
        if let probes = root.table("probe") { readProbes(probes, material: material) }
        HookReader.readSection(of: &root, into: &settings)
        HookReader.readTables(of: &root, into: &settings, material: material)
        root.finish()
        warnOfQuorum(at: quorumOrigin)
    }

    private mutating func readSettle(_ table: TableReader) {
        var table = table
        let form = Form<Duration>.duration(.zero ... .seconds(3600))
        let standard = SettlePolicy.standard
        settings.settle = SettlePolicy(
            up: table.read("up", form, default: standard.up),
            down: table.read("down", form, default: standard.down)
        )
        table.finish()
    }

    private mutating func readInterfaces(_ table: TableReader) {
        var table = table
        settings.kindOverrides = readKinds(&table)
        let standard = MonitorConfiguration.defaultInternetAddresses
        let form = Form<IPAddress>.address.list(1...16)
        settings.internetAddresses = table.read("internet_addresses", form, unsaid: standard) ?? []
        table.finish()
    }

    /// The patterns of later files come first, so that they win; within a file the order is that of the text.
    private func readKinds(_ table: inout TableReader) -> [KindOverride] {
        guard let kinds = table.table("kinds") else { return [] }
        var reader = kinds
        var overrides: [KindOverride] = []
        for pattern in kinds.keys(latestFilesFirst: true) {
            let kind = reader.read(pattern, Form<InterfaceKind>.choice)
            guard (1...64).contains(pattern.utf8.count) else {
                reader.report(pattern, "a pattern has 1 to 64 characters")
                continue
            }
            if let kind { overrides.append(KindOverride(pattern: pattern, kind: kind)) }
        }
        return overrides
    }

    private mutating func readMetered(_ table: TableReader) {
        var table = table
        var metered = MeteredSettings()
        metered.interfaces = table.read("interfaces", Form<String>.string(1...64).list(0...64), default: [])
        metered.includesCellular = table.read("cellular", .boolean, default: metered.includesCellular)
        metered.intervalFactor = table.read("interval_factor", .integer(1...1000), default: metered.intervalFactor)
        metered.bytesPerDay = table.read("bytes_per_day", .size(1...(1 << 40)))
        settings.metered = metered
        table.finish()
    }

    private mutating func readPortal(_ table: TableReader) {
        var table = table
        var portal = PortalSettings()
        let form = Form<Duration>.duration(.milliseconds(100)...Self.longestInterval)
        portal.recheck = table.read("recheck", form, default: portal.recheck)
        portal.asksNetwork = table.read("ask_network", .boolean, default: portal.asksNetwork)
        settings.portal = portal
        table.finish()
    }

    private mutating func readConnectivity(_ table: TableReader) -> TableReader {
        var table = table
        settings.quorum = table.read("quorum", .quorum, default: .all)
        table.finish()
        return table
    }

    private mutating func readLimits(_ table: TableReader) {
        var table = table
        let standard = ScheduleLimits()
        settings.limits = ScheduleLimits(
            checks: table.read("checks", .integer(1...10_000), default: standard.checks),
            checksPerTarget: table.read("checks_per_target", .integer(1...10_000), default: standard.checksPerTarget)
        )
        table.finish()
    }

    private mutating func readTargets(_ table: TableReader) {
        let tables = table.subtables(marks: ["address"])
        guard tables.count <= Self.mostTargets else {
            notes.error(
                "there are \(tables.count) targets; at most \(Self.mostTargets) are accepted",
                key: table.path,
                at: table.origin
            )
            return
        }
        for (name, reader) in tables {
            var reader = reader
            if let flaw = Self.flaw(ofName: name) { notes.error(flaw, key: reader.path, at: reader.origin) }
            let address = reader.require("address", .address, such: "\"192.0.2.7\"")
            reader.finish()
            if let address { settings.targets.append(Target(name: name, address: address)) }
        }
        settings.targets.sort { $0.name < $1.name }
    }

    private mutating func readProbes(_ table: TableReader, material: ProbeMaterial) {
        let tables = table.subtables(marks: ["target"])
        guard tables.count <= Self.mostProbes else {
            notes.error(
                "there are \(tables.count) probes; at most \(Self.mostProbes) are accepted",
                key: table.path,
                at: table.origin
            )
            return
        }
        for (name, reader) in tables {
            if let flaw = Self.flaw(ofName: name) { notes.error(flaw, key: reader.path, at: reader.origin) }
            if let probe = ProbeReader.definition(name: name, of: reader, material: material) {
                settings.probes.append(probe)
            }
        }
        settings.probes.sort { $0.name < $1.name }
        let isWithoutRequired = !settings.probes.isEmpty && !settings.probes.contains { $0.rule.isRequired }
        if notes.isClean, isWithoutRequired {
            notes.warning(
                "no probe is required, so nothing tells whether the Internet is reached",
                key: table.path,
                at: table.origin
            )
        }
    }

    private func warnOfQuorum(at table: TableReader) {
        guard notes.isClean, case .atLeast(let count) = settings.quorum else { return }
        let required = settings.probes.count { $0.rule.isRequired }
        guard count > required else { return }
        table.warn("quorum", "\(count) is more than the \(required) required probes; all of them are needed then")
    }

    /// What is wrong with the name of a probe or a target; nil when nothing is.
    static func flaw(ofName name: String) -> String? {
        guard name.utf8.allSatisfy(isNameByte), (1...64).contains(name.utf8.count) else {
            return "a name must be 1 to 64 letters, digits, '-', '_' or '.'"
        }
        // The agent's own events have these subjects.
        return ["default", "agent"].contains(name) ? "the name is taken by the agent's own events; choose another" : nil
    }

    /// Whether a name may have this character.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
