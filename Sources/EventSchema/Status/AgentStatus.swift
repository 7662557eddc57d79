public import EventEnvelope
public import NetlinkMonitor
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

/// A settled transition as a line of a list.
public struct RecentTransition: Sendable, Hashable {
    /// The event's number.
    public var sequence: UInt64
    /// When the event was made.
    public var time: Timestamp
    /// The event's type.
    public var type: EventType
    /// What changed: `default`, or a target's name.
    public var subject: String
    /// The state before, in a few words.
    public var from: String
    /// The state after, in a few words.
    public var to: String
    /// What made it change.
    public var cause: ChangeCause

    /// A transition; `nil` for a raw one.
    public init?(_ transition: Transition, sequence: UInt64, time: Timestamp) {
        self.sequence = sequence
        self.time = time
        switch transition {
        case .path, .targetPath, .probe, .certificate, .resumed: return nil
        case .reachability(let change):
            type = .reachabilityChanged
            subject = EventDraft.defaultSubject
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        case .target(let target, let change):
            type = .targetChanged
            subject = target.name
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        }
    }
}
