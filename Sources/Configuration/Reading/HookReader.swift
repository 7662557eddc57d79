internal import AgentEvents
internal import Hooks
internal import Probes
internal import Reachability

/// Reads one table `[hook.NAME]`.
///
/// A hook's table is read completely, even after an error, like a probe's; a key that applies only to the other kind of
/// hook is an error.
struct HookReader: RequestTableReader {
    /// The keys of which every hook must have one.
    static let marks = ["command", "url", "url_file"]
    /// The maximum number of hooks.
    static let maxHooks = 256
    /// The fields that a signature sets.
    private static let signatureFields = ["webhook-id", "webhook-timestamp", "webhook-signature"]

    /// The names that the condition of a hook can contain.
    struct Subjects {
        let targets: [String]
        let probes: [String]
    }

    /// The kind of action; unclear if the table has both or neither.
    private enum Kind {
        case command, webhook, unclear
    }

    private let name: String
    let material: ProbeMaterial
    private let subjects: Subjects
    var table: TableReader
    let errorsBefore: Int
    let addressKey = "url"

    /// Returns the definitions in the tables below, sorted by name.
    ///
    /// - Parameter timeout: The timeout of hooks without one of their own.
    static func definitions(
        in table: TableReader,
        material: ProbeMaterial,
        subjects: Subjects,
        timeout: Duration
    ) -> [HookDefinition] {
        let tables = table.subtables(marks: marks)
        guard tables.count <= maxHooks else {
            let message = "there are \(tables.count) hooks; at most \(maxHooks) are accepted"
            table.notes.error(message, key: table.path, at: table.origin)
            return []
        }
        return tables.compactMap { name, table in
            if let flaw = SettingsReader.flaw(ofName: name) {
                table.notes.error(flaw, key: table.path, at: table.origin)
            }
            var reader = HookReader(name: name, material: material, subjects: subjects, table: table)
            return reader.definition(timeout: timeout)
        }.sorted { $0.name < $1.name }
    }

    private init(name: String, material: ProbeMaterial, subjects: Subjects, table: TableReader) {
        self.name = name
        self.material = material
        self.subjects = subjects
        self.table = table
        errorsBefore = table.notes.errorCount
    }

    private mutating func definition(timeout standard: Duration) -> HookDefinition? {
        let kind = readKind()
        let trigger = readTrigger()
        let timeout = table.read(HookKeys.keys.timeout, default: standard)
        let pace = readPace(trigger.types)
        var action: HookDefinition.Action?
        if kind != .webhook, let command = readCommand() { action = .command(command) }
        if kind != .command, let webhook = readWebhook(timeout: timeout) { action = .webhook(webhook) }
        table.finish()
        guard isClean, let action else { return nil }
        return HookDefinition(
            name: name,
            action: action,
            trigger: trigger,
            pace: pace,
            timeout: timeout,
            identity: table.identity()
        )
    }

    private mutating func readKind() -> Kind {
        if table.has("url"), table.has("url_file") {
            table.refuse("url", "a webhook has 'url' or 'url_file', and not both")
        }
        switch (table.has("command"), table.has("url") || table.has("url_file")) {
        case (true, false):
            table.refuse(keysWithout: .program, "has no meaning for a program; it belongs to a hook with 'url'")
            return .command
        case (false, true):
            table.refuse(keysWithout: .webhook, "has no meaning for a webhook; it belongs to a hook with 'command'")
            return .webhook
        case (true, true):
            let address = table.has("url") ? "url" : "url_file"
            let later = Origin.precedes(table.origin(of: "command"), table.origin(of: address)) ? address : "command"
            table.report(later, "a hook has 'command' or 'url', and not both")
        case (false, false):
            let message =
                "'command' or 'url' is missing; expected one such as command = [\"/usr/bin/logger\", \"hi\"]"
            table.notes.error(message, key: table.path, at: table.origin)
        }
        return .unclear
    }

    private mutating func readPace(_ types: Set<EventType>) -> HookPace {
        let keys = HookKeys.keys
        let pace = HookPace(
            concurrency: table.read(keys.concurrency),
            queue: table.read(keys.queue),
            debounce: table.read(keys.debounce),
            runsAtStart: table.read(keys.atStart)
        )
        if pace.runsAtStart, isClean, types.isDisjoint(with: EventFacts.statefulTypes) {
            let words = EventFacts.listed(EventFacts.statefulTypes)
            table.report("at_start", "the types in 'on' have no state that could be given at the start; \(words) do")
        }
        return pace
    }

    // MARK: Trigger

    private mutating func readTrigger() -> HookTrigger {
        let types = Set(table.read(HookKeys.keys.on))
        guard var when = table.table(HookKeys.keys.when) else { return HookTrigger(types: types) }
        let filter = readFilter(&when)
        when.finish()
        table.amend(HookKeys.keys.when, with: when)
        if isClean { refuseImpossible(filter, types, in: when) }
        return HookTrigger(types: types, filter: filter)
    }

    private func readFilter(_ when: inout TableReader) -> HookFilter {
        let keys = WhenKeys.keys
        var filter = HookFilter()
        filter.fromVia = (when.read(keys.fromVia) ?? []).map(\.rawValue)
        filter.toVia = (when.read(keys.toVia) ?? []).map(\.rawValue)
        filter.fromConnectivity = (when.read(keys.fromConnectivity) ?? []).map(\.rawValue)
        filter.toConnectivity = (when.read(keys.toConnectivity) ?? []).map(\.rawValue)
        filter.targets = readNames(keys.target, among: subjects.targets, of: &when)
        filter.probes = readNames(keys.probe, among: subjects.probes, of: &when)
        filter.interfaces = when.read(keys.interface) ?? []
        filter.causes = when.read(keys.cause) ?? []
        filter.changes = when.read(keys.changed) ?? []
        return filter
    }

    /// Reads names of probes or targets, which must exist: a condition on any other name could never be true.
    private func readNames(_ key: Key<[String]?>, among names: [String], of when: inout TableReader) -> [String] {
        let format = ValueFormat<String>.existing(key.facts.name, among: names).oneOrMore(1...256).optional
        return when.read(key, default: nil, as: format) ?? []
    }

    /// Reports an error for a filter that no event can match: the hook would never run, for no visible reason.
    private func refuseImpossible(_ filter: HookFilter, _ types: Set<EventType>, in when: TableReader) {
        let conditions = Self.conditions(of: filter).filter { when.has($0.key) }
        let on = EventFacts.listed(types)
        var isPossible = true
        for (key, facts) in conditions {
            let telling = EventFacts.types(telling: facts)
            guard telling.isDisjoint(with: types) else { continue }
            isPossible = false
            let verb = types.count == 1 ? "does" : "do"
            let others = EventFacts.listed(telling)
            when.report(key, "\(on) \(verb) not have it, so the hook would never run; it goes with \(others)")
        }
        guard isPossible, !conditions.isEmpty else { return }
        let met = EventFacts.all.filter { types.contains($0.type) && $0.meets(conditions.map(\.facts)) }.map(\.type)
        let idle = types.subtracting(met)
        if met.isEmpty {
            let keys = conditions.map { "'\($0.key)'" }.joined(separator: ", ")
            let message = "no event of \(on) has all of it (\(keys)), so the hook would never run"
            when.notes.error(message, key: when.path, at: when.origin)
        } else if !idle.isEmpty {
            table.warn("on", "the hook never runs for \(EventFacts.listed(idle)), which 'when' rules out")
        }
    }

    /// Returns for each key the facts of which an event must have at least one.
    private static func conditions(of filter: HookFilter) -> [(key: String, facts: Set<EventFacts.Fact>)] {
        [
            ("from_via", [.via]), ("to_via", [.via]), ("from_connectivity", [.connectivity]),
            ("to_connectivity", [.connectivity]), ("target", [.target]), ("probe", [.probe]),
            ("interface", [.interface]), ("cause", [.cause]), ("changed", Set(filter.changes.map(\.fact))),
        ]
    }

    // MARK: Program

    /// Reads the command; `nil` if it is missing or invalid.
    private mutating func readCommand() -> HookCommand? {
        let keys = ProgramKeys.keys
        let arguments = table.read(HookKeys.keys.command)
        let user = table.read(keys.user)
        let group = table.read(keys.group)
        let environment = table.read(keys.environment)
        let directory = table.read(keys.workingDirectory)
        if table.notes.checksMachine {
            if let program = arguments?.first { warn(ofProgram: program) }
            if let user, Account.isUnknown(user: user) { table.warn("user", "there is no user '\(user)' here") }
            if let group, Account.isUnknown(group: group) { table.warn("group", "there is no group '\(group)' here") }
        }
        guard let arguments else { return nil }
        return HookCommand(
            arguments: arguments,
            user: user,
            group: group,
            environment: environment,
            workingDirectory: directory
        )
    }

    // MARK: Webhook

    /// Reads the request; `nil` after an error.
    private mutating func readWebhook(timeout: Duration) -> Webhook? {
        let keys = WebhookKeys.keys
        let target = readAddress()
        var request = ProbeRequest()
        request.method = table.read(keys.method)
        warn(ofMethod: request.method)
        readHeaders(into: &request)
        request.allowsCellularAccess = table.read(keys.allowCellular)
        let body = table.read(keys.body)
        let secretFile = readSecretFile(request.headers)
        let retries = table.read(keys.retries)
        let codes = table.read(keys.expectStatus)
        let interface = table.read(keys.interface)
        if let interface { warn(ofInterfaces: [interface], "interface") }
        let families = readFamilies(target)
        let tls = readTLS()
        let evaluator = readPolicy()
        guard let target, let evaluator else { return nil }
        let probe = Probe(
            target: target,
            request: request,
            serializer: material.serializer,
            expectations: ResponseExpectations(acceptableStatusCodes: codes),
            trust: evaluator,
            tls: tls,
            interface: interface,
            families: families,
            timeout: timeout
        )
        check(probe)
        return Webhook(probe: probe, body: body, secretFile: secretFile, retries: retries)
    }

    /// Reads the URL of the request; chat services treat all of it as a secret, so only its origin is shown.
    private mutating func readAddress() -> ProbeTarget? {
        guard table.has("url_file") else { return table.read(HookKeys.keys.url) }
        guard let path = table.read(HookKeys.keys.urlFile),
            let line = SecretLine(at: path, of: "url_file", in: &table)
        else { return nil }
        var errors: [ValueError] = []
        let node = Node(value: .string(line.text), origin: table.origin(of: "url_file"))
        let target = ValueFormat<ProbeTarget>.webAddress.read(node, &errors)
        if target == nil {
            table.report("url_file", "\(path) contains no address of a web server in its first line")
        }
        return target
    }

    /// Reads the path of the secret; the file is read again for each request, so its errors are reported now.
    private mutating func readSecretFile(_ headers: HeaderFields) -> String? {
        guard let path = table.read(WebhookKeys.keys.secretFile) else { return nil }
        do throws(RequestError) {
            _ = try WebhookSignature(secretFile: path)
        } catch {
            table.report("secret_file", error.description)
        }
        for field in Self.signatureFields where headers.value(of: field) != nil {
            table.report("secret_file", "the signature sets the header field '\(field)', which is given too")
        }
        return path
    }

    /// Reads the address families: an IP address has one.
    private mutating func readFamilies(_ target: ProbeTarget?) -> AddressFamilies {
        let families = table.read(WebhookKeys.keys.families)
        guard case .http(let url)? = target, case .address(let bytes) = url.host else { return families }
        let fixed: AddressFamilies = bytes.count == 4 ? .ipv4 : .ipv6
        if families != .any, families != fixed {
            let text = fixed == .ipv4 ? "IPv4" : "IPv6"
            table.report("families", "'\(families.rawValue)' contradicts the address in 'url', which is \(text)")
        }
        return fixed
    }
}
