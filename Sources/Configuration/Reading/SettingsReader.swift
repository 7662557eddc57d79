internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// Reads the tables of a configuration into settings.
struct SettingsReader {
    /// The maximum number of probes.
    static let maxProbes = 10_000
    /// The maximum number of targets.
    static let maxTargets = MonitorConfiguration.maximumTargets
    /// The maximum interval between two checks.
    static let longestInterval: Duration = .seconds(30 * 86_400)

    private let notes: Notes
    private let serializer: RequestSerializer
    private var settings = Settings()

    /// Returns the settings in a root table; errors are in the notes.
    static func settings(of root: Node, notes: Notes, serializer: RequestSerializer) -> Settings {
        var reader = SettingsReader(notes: notes, serializer: serializer)
        guard case .table(let members) = root.value else { return reader.settings }
        reader.read(
            TableReader(members, keys: RootKeys.all, path: TOMLPath([]), origin: root.origin, notes: notes)
        )
        return reader.settings
    }

    private init(notes: Notes, serializer: RequestSerializer) {
        self.notes = notes
        self.serializer = serializer
    }

    private mutating func read(_ root: TableReader) {
        for section in RootKeys.sections { readSection(root.section(section)) }
        if let targets = root.table(RootKeys.keys.target) { readTargets(targets) }
        let material = ProbeMaterial(serializer: serializer, portalInterval: settings.portal.recheck)
        if let probes = root.table(RootKeys.keys.probe) { readProbes(probes, material: material) }
        if let hooks = root.table(RootKeys.keys.hook) {
            let subjects = HookReader.Subjects(
                targets: root.names(in: RootKeys.keys.target),
                probes: root.names(in: RootKeys.keys.probe)
            )
            settings.hooks.definitions = HookReader.definitions(
                in: hooks,
                material: material,
                subjects: subjects,
                timeout: settings.hooks.directoryTimeout
            )
        }
        if let sinks = root.table(RootKeys.keys.sink) {
            settings.sinks = SinkReader.settings(in: sinks, material: material)
        }
        root.finish()
        warn(of: root)
    }

    private mutating func readSection(_ section: TableReader) {
        var table = section
        for case let key as any SettingDeclaration in table.keys.declarations {
            key.read(from: &table, into: &settings)
        }
        if table.path.keys == ["http"] {
            settings.http.access = PortAccessReader(http: settings.http, table: table).access()
        }
        if table.path.keys == ["hooks"] {
            for name in table.names() where table.holds(name, anyOf: HookReader.marks) {
                table.refuse(name, "is not a key of this section; a hook's table is [\(TOMLPath(["hook", name]))]")
            }
        }
        table.finish()
    }

    private mutating func readTargets(_ table: TableReader) {
        let tables = table.subtables(marks: ["address"])
        guard tables.count <= Self.maxTargets else {
            let message = "there are \(tables.count) targets; at most \(Self.maxTargets) are accepted"
            return notes.error(message, key: table.path, at: table.origin)
        }
        for (name, reader) in tables {
            var reader = reader
            if let flaw = Self.flaw(ofName: name) { notes.error(flaw, key: reader.path, at: reader.origin) }
            let address = reader.read(TargetKeys.keys.address)
            reader.finish()
            if let address { settings.targets.append(Target(name: name, address: address)) }
        }
        settings.targets.sort { $0.name < $1.name }
    }

    private mutating func readProbes(_ table: TableReader, material: ProbeMaterial) {
        let tables = table.subtables(marks: ["target"])
        guard tables.count <= Self.maxProbes else {
            let message = "there are \(tables.count) probes; at most \(Self.maxProbes) are accepted"
            return notes.error(message, key: table.path, at: table.origin)
        }
        for (name, reader) in tables {
            if let flaw = Self.flaw(ofName: name) { notes.error(flaw, key: reader.path, at: reader.origin) }
            guard let definition = ProbeReader.definition(name: name, of: reader, material: material) else { continue }
            if definition.isEnabled { settings.probes.append(definition.probe) } else { settings.disabledProbes += 1 }
        }
        settings.probes.sort { $0.name < $1.name }
        let isWithoutRequired = !settings.probes.isEmpty && !settings.probes.contains { $0.rule.isRequired }
        if notes.isClean, isWithoutRequired {
            let message = "no probe is required, so nothing determines whether the Internet is reachable"
            notes.warning(message, key: table.path, at: table.origin)
        }
    }

    /// Warns about sections, some of which depend on the probes.
    private func warn(of root: TableReader) {
        if settings.agent.journal == false {
            let agent = root.section(RootKeys.keys.agent)
            let key = ["journal_directory", "journal_size"].first(where: agent.has)
            if let key { agent.warn(key, "has no effect while 'journal' is false") }
            if !settings.sinks.isEmpty {
                agent.warn("journal", "sinks ship only what happens while their broker is reached: 'journal' is false")
            }
        }
        if settings.agent.sockets == false {
            if !settings.sinks.isEmpty {
                root.section(RootKeys.keys.agent).report("sockets", "sinks read the agent's events from its sockets")
            }
            if !settings.http.listen.isEmpty {
                root.section(RootKeys.keys.http).warn("listen", "has no effect while 'sockets' of [agent] is false")
            }
        }
        warnOfBudget(root.section(RootKeys.keys.metered))
        if notes.isClean, notes.checksMachine {
            StartWarnings(settings: settings.agent, table: root.section(RootKeys.keys.agent)).add()
        }
        guard notes.isClean, case .atLeast(let count) = settings.quorum else { return }
        let required = settings.probes.count { $0.rule.isRequired }
        guard count > required else { return }
        let connectivity = root.section(RootKeys.keys.connectivity)
        connectivity.warn(
            "quorum",
            "\(count) is more than the number of required probes, \(required); all of them are needed then"
        )
    }

    /// Warns of a budget that is too small for a transfer that may use metered links.
    private func warnOfBudget(_ metered: TableReader) {
        guard notes.isClean, let budget = settings.metered.bytesPerDay else { return }
        let transfers = settings.probes.compactMap { probe in probe.probe.transfer.map { (probe.name, $0) } }
        guard let (name, plan) = transfers.first(where: { $1.allowsMetered && $1.bytesOnWire > budget }) else { return }
        let needed = TOMLText.size(plan.bytesOnWire, inUnitOf: budget)
        metered.warn(
            "bytes_per_day",
            "a transfer of probe '\(name)' takes up to \(needed) with all headers, more than "
                + "\(TOMLText.unquotedSize(budget)): it is never made over a metered link"
        )
    }

    /// Returns the error in the name of a probe, a target, a hook or a sink; `nil` if the name is valid.
    static func flaw(ofName name: String) -> String? {
        let isName = name.utf8.allSatisfy { TOMLKey.isBare($0) || $0 == UInt8(ascii: ".") }
        guard isName, (1...64).contains(name.utf8.count) else {
            return "a name must be 1 to 64 letters, digits, '-', '_' or '.'"
        }
        return ProbeDefinition.reservedNames.contains(name)
            ? "the name is taken by the agent's own events; choose another" : nil
    }
}
