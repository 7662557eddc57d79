/// The state of an agent at one moment: the reply to `status`.
///
/// An agent of another version may send more members, which are ignored, or fewer: a missing member, or one of another
/// type, is `nil` or empty, as ``init(line:)`` and `StateClient` read it. Other decoders, such as `JSONDecoder`, throw an
/// error for a member of another type. Text is unescaped: escape it before showing it on a terminal. docs/status.md
/// describes the members.
public struct AgentStatus: Sendable, Hashable {
    /// The agent.
    public var agent: Agent?
    /// The moment of the reply.
    public var time: Timestamp?
    /// The reachability of the machine.
    public var reachability: SettledState
    /// The reachability of the targets.
    public var targets: [Target]
    /// The probes; those that are not up come first.
    public var probes: [ProbeStatus]
    /// The number of probes that were omitted from the reply.
    public var probesOmitted: Int?
    /// The uplinks.
    public var uplinks: [Uplink]
    /// The availability of the default path and of each uplink; empty until the journal has been read.
    public var availability: [Availability]
    /// The counters of the probe scheduler; `nil` without one.
    public var schedule: Schedule?
    /// The configuration; `nil` for an agent without configuration files.
    public var configuration: Configuration?
    /// The directories and the containment of hooks.
    public var hookSetup: HookSetup?
    /// The hooks; failing ones come first.
    public var hooks: [HookStatus]
    /// The number of hooks that were omitted from the reply.
    public var hooksOmitted: Int?
    /// The sinks, by name; empty without one.
    public var sinks: [SinkStatus]
    /// The interfaces, by index.
    public var interfaces: [Interface]
    /// The default routes.
    public var defaultRoutes: [DefaultRoute]
    /// The newest settled changes, oldest first.
    public var recent: [Transition]
    /// The number of the newest event; 0 if there is none.
    public var lastSequence: UInt64?
    /// The journal; `nil` if none is kept.
    public var journal: Journal?
    /// The sockets.
    public var sockets: Sockets?
    /// False between a loss of kernel messages and the end of the resynchronization.
    public var isSynchronized: Bool?
    /// The losses of kernel messages since the start.
    public var overruns: Overruns?

    /// Creates a status.
    public init(
        agent: Agent,
        time: Timestamp,
        reachability: SettledState,
        targets: [Target],
        probes: [ProbeStatus],
        probesOmitted: Int? = nil,
        uplinks: [Uplink],
        availability: [Availability] = [],
        schedule: Schedule? = nil,
        configuration: Configuration? = nil,
        hookSetup: HookSetup? = nil,
        hooks: [HookStatus],
        hooksOmitted: Int? = nil,
        sinks: [SinkStatus] = [],
        interfaces: [Interface],
        defaultRoutes: [DefaultRoute] = [],
        recent: [Transition],
        lastSequence: UInt64,
        journal: Journal? = nil,
        sockets: Sockets? = nil,
        isSynchronized: Bool,
        overruns: Overruns?
    ) {
        self.agent = agent
        self.time = time
        self.reachability = reachability
        self.targets = targets
        self.probes = probes
        self.probesOmitted = probesOmitted
        self.uplinks = uplinks
        self.availability = availability
        self.schedule = schedule
        self.configuration = configuration
        self.hookSetup = hookSetup
        self.hooks = hooks
        self.hooksOmitted = hooksOmitted
        self.sinks = sinks
        self.interfaces = interfaces
        self.defaultRoutes = defaultRoutes
        self.recent = recent
        self.lastSequence = lastSequence
        self.journal = journal
        self.sockets = sockets
        self.isSynchronized = isSynchronized
        self.overruns = overruns
    }
}

extension AgentStatus {
    /// Reads a status from the output of `reachagent status --json`, which is the `parameters` of the reply.
    ///
    /// - Parameter line: The line, with or without its newline.
    /// - Returns: `nil` if the line is longer than ``ScannedLine/maximumBytes``, or is not one well-formed JSON object.
    public init?(line: [UInt8]) {
        guard let status = EventDecoder.value(AgentStatus.self, of: line) else { return nil }
        self = status
    }
}

extension AgentStatus: Codable {
    private enum CodingKeys: String, CodingKey {
        case agent, time, targets, probes
        case probesOmitted = "probes_omitted"
        case uplinks, availability, schedule, configuration
        case hookSetup = "hook_setup"
        case hooks
        case hooksOmitted = "hooks_omitted"
        case sinks, interfaces
        case defaultRoutes = "default_routes"
        case recent
        case lastSequence = "last_seq"
        case journal, sockets
        case isSynchronized = "synchronized"
        case overruns
    }

    /// Reads a status, with the machine's settled state beside its own members; only a value that is not an object is
    /// an error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func list<Element: Codable & Sendable & Hashable>(_ key: CodingKeys) throws -> [Element] {
            try members.decode(List<Element>.self, forKey: key).wrappedValue
        }
        agent = try members.decodeIfPresent(Agent.self, forKey: .agent)
        time = try members.decodeIfPresent(Timestamp.self, forKey: .time)
        reachability = try SettledState(from: decoder)
        targets = try list(.targets)
        probes = try list(.probes)
        probesOmitted = try members.decodeIfPresent(Int.self, forKey: .probesOmitted)
        uplinks = try list(.uplinks)
        availability = try list(.availability)
        schedule = try members.decodeIfPresent(Schedule.self, forKey: .schedule)
        configuration = try members.decodeIfPresent(Configuration.self, forKey: .configuration)
        hookSetup = try members.decodeIfPresent(HookSetup.self, forKey: .hookSetup)
        hooks = try list(.hooks)
        hooksOmitted = try members.decodeIfPresent(Int.self, forKey: .hooksOmitted)
        sinks = try list(.sinks)
        interfaces = try list(.interfaces)
        defaultRoutes = try list(.defaultRoutes)
        recent = try list(.recent)
        lastSequence = try members.decodeIfPresent(UInt64.self, forKey: .lastSequence)
        journal = try members.decodeIfPresent(Journal.self, forKey: .journal)
        sockets = try members.decodeIfPresent(Sockets.self, forKey: .sockets)
        isSynchronized = try members.decodeIfPresent(Bool.self, forKey: .isSynchronized)
        overruns = try members.decodeIfPresent(Overruns.self, forKey: .overruns)
    }

    /// Writes the status, with the machine's settled state among its own members.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(agent, forKey: .agent)
        try members.encodeIfPresent(time, forKey: .time)
        try reachability.encode(to: encoder)
        try members.encode(targets, forKey: .targets)
        if !probes.isEmpty { try members.encode(probes, forKey: .probes) }
        try members.encodeIfPresent(probesOmitted, forKey: .probesOmitted)
        if !uplinks.isEmpty { try members.encode(uplinks, forKey: .uplinks) }
        if !availability.isEmpty { try members.encode(availability, forKey: .availability) }
        try members.encodeIfPresent(schedule, forKey: .schedule)
        try members.encodeIfPresent(configuration, forKey: .configuration)
        try members.encodeIfPresent(hookSetup, forKey: .hookSetup)
        if !hooks.isEmpty { try members.encode(hooks, forKey: .hooks) }
        try members.encodeIfPresent(hooksOmitted, forKey: .hooksOmitted)
        if !sinks.isEmpty { try members.encode(sinks, forKey: .sinks) }
        try members.encode(interfaces, forKey: .interfaces)
        if !defaultRoutes.isEmpty { try members.encode(defaultRoutes, forKey: .defaultRoutes) }
        try members.encode(recent, forKey: .recent)
        try members.encodeIfPresent(lastSequence, forKey: .lastSequence)
        try members.encodeIfPresent(journal, forKey: .journal)
        try members.encodeIfPresent(sockets, forKey: .sockets)
        try members.encodeIfPresent(isSynchronized, forKey: .isSynchronized)
        try members.encodeIfPresent(overruns, forKey: .overruns)
    }
}
