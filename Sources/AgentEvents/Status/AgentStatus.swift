public import EventEnvelope

/// The state of an agent at one moment: the reply to `status`.
///
/// Text is as the agent sent it: escape it before a terminal shows it. docs/status.md describes the members.
public struct AgentStatus: Sendable, Hashable {
    /// The agent.
    public var agent: Agent
    /// The moment of the reply.
    public var time: Timestamp
    /// The reachability of the machine.
    public var reachability: Standing
    /// The reachability of the targets.
    public var targets: [Target]
    /// The probes: those that are not up first.
    public var probes: [ProbeStatus]
    /// The number of probes that had no room in the reply.
    public var probesOmitted: Int?
    /// The uplinks.
    public var uplinks: [Uplink]
    /// The counters of the probe scheduler; `nil` without one.
    public var schedule: Schedule?
    /// The configuration; `nil` without a file.
    public var configuration: Configuration?
    /// The hooks: those that fail first.
    public var hooks: [HookStatus]
    /// The number of hooks that had no room in the reply.
    public var hooksOmitted: Int?
    /// The interfaces, by their index.
    public var interfaces: [Interface]
    /// The newest settled changes, the oldest first.
    public var recent: [Transition]
    /// The number of the newest event; 0 while there is none.
    public var lastSequence: UInt64
    /// The journal; `nil` when none is kept.
    public var journal: Journal?
    /// The sockets.
    public var sockets: Sockets?
    /// False between a loss of kernel messages and the end of the resynchronization.
    public var isSynchronized: Bool
    /// The losses of kernel messages since the start.
    public var overruns: Overruns
}

extension AgentStatus: Codable {
    private enum CodingKeys: String, CodingKey {
        case agent, time, targets, probes
        case probesOmitted = "probes_omitted"
        case uplinks, schedule, configuration, hooks
        case hooksOmitted = "hooks_omitted"
        case interfaces, recent
        case lastSequence = "last_seq"
        case journal, sockets
        case isSynchronized = "synchronized"
        case overruns
    }

    /// Reads a status, with the machine's standing beside its own members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func list<Element: Codable & Sendable & Hashable>(_ key: CodingKeys) throws -> [Element] {
            try members.decode(List<Element>.self, forKey: key).wrappedValue
        }
        agent = try members.decode(Agent.self, forKey: .agent)
        time = try members.decode(Timestamp.self, forKey: .time)
        reachability = try Standing(from: decoder)
        targets = try list(.targets)
        probes = try list(.probes)
        probesOmitted = try members.decodeIfPresent(Int.self, forKey: .probesOmitted)
        uplinks = try list(.uplinks)
        schedule = try members.decodeIfPresent(Schedule.self, forKey: .schedule)
        configuration = try members.decodeIfPresent(Configuration.self, forKey: .configuration)
        hooks = try list(.hooks)
        hooksOmitted = try members.decodeIfPresent(Int.self, forKey: .hooksOmitted)
        interfaces = try list(.interfaces)
        recent = try list(.recent)
        lastSequence = try members.decode(UInt64.self, forKey: .lastSequence)
        journal = try members.decodeIfPresent(Journal.self, forKey: .journal)
        sockets = try members.decodeIfPresent(Sockets.self, forKey: .sockets)
        isSynchronized = try members.decode(Bool.self, forKey: .isSynchronized)
        overruns = try members.decode(Overruns.self, forKey: .overruns)
    }

    /// Writes the status, with the machine's standing among its own members.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(agent, forKey: .agent)
        try members.encode(time, forKey: .time)
        try reachability.encode(to: encoder)
        try members.encode(targets, forKey: .targets)
        if !probes.isEmpty { try members.encode(probes, forKey: .probes) }
        try members.encodeIfPresent(probesOmitted, forKey: .probesOmitted)
        if !uplinks.isEmpty { try members.encode(uplinks, forKey: .uplinks) }
        try members.encodeIfPresent(schedule, forKey: .schedule)
        try members.encodeIfPresent(configuration, forKey: .configuration)
        if !hooks.isEmpty { try members.encode(hooks, forKey: .hooks) }
        try members.encodeIfPresent(hooksOmitted, forKey: .hooksOmitted)
        try members.encode(interfaces, forKey: .interfaces)
        try members.encode(recent, forKey: .recent)
        try members.encode(lastSequence, forKey: .lastSequence)
        try members.encodeIfPresent(journal, forKey: .journal)
        try members.encodeIfPresent(sockets, forKey: .sockets)
        try members.encode(isSynchronized, forKey: .isSynchronized)
        try members.encode(overruns, forKey: .overruns)
    }
}
