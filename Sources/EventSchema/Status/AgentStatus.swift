public import EventEnvelope
public import Hooks
public import NetlinkMonitor
public import Probes
public import Reachability

/// What an agent knows and how it fares, at one moment: the answer to `status`.
public struct AgentStatus: Sendable {
    /// Who answers.
    public var agent: AgentFacts
    /// When the answer was made.
    public var now: ObservedTime
    /// How the machine is reachable, and since when.
    public var reachability: Standing<ReachabilityState>
    /// How the targets are reachable, in their order.
    public var targets: [(target: Target, standing: Standing<TargetState>)]
    /// How the probes fare.
    public var probes: [ProbeRecord]
    /// How the interfaces with a default route fare.
    public var uplinks: [Uplink]
    /// What the probes' scheduler counted; `nil` without one.
    public var schedule: ProbeScheduler.Statistics?
    /// What the agent was configured with; `nil` without a file.
    public var configuration: ConfigurationFacts?
    /// How the hooks fare.
    public var hooks: [HookStanding]
    /// The kernel's view that the states were derived from.
    public var network: NetworkSnapshot
    /// The newest settled transitions, the oldest first.
    public var recent: [RecentTransition]
    /// The number of the newest event; 0 while there is none.
    public var lastSequence: UInt64
    /// The losses of the kernel's messages.
    public var overruns: OverrunSummary
    /// The journal; `nil` when the agent keeps none.
    public var journal: JournalSummary?
    /// The sockets; `nil` when the agent has none.
    public var sockets: SocketSummary?

    /// A status.
    public init(
        agent: AgentFacts,
        now: ObservedTime,
        reachability: Standing<ReachabilityState>,
        targets: [(target: Target, standing: Standing<TargetState>)] = [],
        probes: [ProbeRecord] = [],
        uplinks: [Uplink] = [],
        schedule: ProbeScheduler.Statistics? = nil,
        configuration: ConfigurationFacts? = nil,
        hooks: [HookStanding] = [],
        network: NetworkSnapshot,
        recent: [RecentTransition] = [],
        lastSequence: UInt64 = 0,
        overruns: OverrunSummary = OverrunSummary(),
        journal: JournalSummary? = nil,
        sockets: SocketSummary? = nil
    ) {
        self.agent = agent
        self.now = now
        self.reachability = reachability
        self.targets = targets
        self.probes = probes
        self.uplinks = uplinks
        self.schedule = schedule
        self.configuration = configuration
        self.hooks = hooks
        self.network = network
        self.recent = recent
        self.lastSequence = lastSequence
        self.overruns = overruns
        self.journal = journal
        self.sockets = sockets
    }
}

/// Who answers.
public struct AgentFacts: Sendable, Hashable {
    /// The agent's version.
    public var version: String
    /// The agent's process.
    public var processID: Int32
    /// When the agent was started.
    public var started: ObservedTime
    /// Where its events come from: the boot, and the stream of numbers.
    public var origin: EventOrigin

    /// An agent.
    public init(version: String, processID: Int32, started: ObservedTime, origin: EventOrigin) {
        self.version = version
        self.processID = processID
        self.started = started
        self.origin = origin
    }
}
