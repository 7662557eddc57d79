public import NetlinkMonitor
public import Probes

/// A moment on two clocks, as it came with the kernel's message.
public typealias Observed = ObservedTime

/// A change of state, raw or settled.
public enum Transition: Sendable, Equatable {
    /// The default path changed; every edge, at once.
    case path(Change<ReachabilityState>)
    /// The path to a target changed; every edge, at once.
    case targetPath(Target, Change<TargetState>)
    /// The machine's reachability changed, and held.
    case reachability(Change<ReachabilityState>)
    /// A target's reachability changed, and held.
    case target(Target, Change<TargetState>)
    /// What a probe's checks come to changed.
    case probe(ProbePoint, Change<ProbeStanding>)
    /// A certificate came to the end of its lifetime as far as a threshold.
    case certificate(CertificateExpiry)
    /// The machine was suspended for so long, and is awake again.
    case resumed(after: Duration, observed: Observed)
}

/// One value that became another.
public struct Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// Before.
    public let from: Value
    /// After.
    public let to: Value
    /// What made it change.
    public let cause: ChangeCause
    /// When the kernel's message that made it change was read.
    public let observed: Observed
    /// How long the new value had held when it was published; zero for a raw change.
    public let settled: Duration

    /// A change.
    public init(from: Value, to: Value, cause: ChangeCause, observed: Observed, settled: Duration = .zero) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settled = settled
    }
}

/// The state machine: network updates and time in, transitions out.
///
/// Pure: no I/O and no clock of its own. The default path and every target settle independently of each other. For each
/// subject the raw transition comes before the settled one; nothing is published before the first update, and the first
/// update is published at once, from `unknown`.
public struct ReachabilityMachine: Sendable {
    private let targets: [Target]
    private var reachability: Settler<ReachabilityState>
    private var targetStates: [Settler<TargetState>]

    /// A machine in the state `unknown`.
    public init(settle: SettlePolicy = .standard, targets: [Target] = []) {
        self.targets = targets
        reachability = Settler(unknown: .unknown, policy: settle)
        targetStates = targets.map {
            Settler(unknown: TargetState(address: $0.address, path: .unknown), policy: settle)
        }
    }

    /// A machine in the state `unknown`.
    public init(_ configuration: MachineConfiguration) {
        self.init(settle: configuration.settle, targets: configuration.targets)
    }

    /// Which probes are to be made, and from where, in the present view; in order.
    public var points: [ProbePoint] { [] }
    /// How each probe fares, in the order of ``points``.
    public var probes: [ProbeRecord] { [] }
    /// The interfaces with a default route, by index.
    public var uplinks: [Uplink] { [] }

    /// The points whose verdict has become doubtful by itself, because a path changed or the machine was suspended, since
    /// this was asked the last time: they are to be made at once.
    public mutating func takeFreshLooks() -> [ProbePoint] { [] }

    /// Takes a completed check; one of a point that is not among ``points`` any more changes nothing.
    ///
    /// - Returns: The transitions, in the order in which they are to be published, and how soon the probe is due again.
    public mutating func handle(_ sample: ProbeSample) -> (transitions: [Transition], cadence: Cadence) { ([], .steady) }

    /// Takes that the machine was suspended: what happened before counts for no streak, and settling begins anew.
    public mutating func resume(after suspended: Duration, observed: Observed) -> [Transition] { [] }

    /// Takes another configuration; probes and targets whose rules are the same keep their history.
    public mutating func configure(_ configuration: MachineConfiguration, observed: Observed) -> [Transition] { [] }

    /// The settled state.
    public var state: ReachabilityState { reachability.settled }
    /// The settled states of the targets, in their order.
    public var targetPaths: [(target: Target, state: TargetState)] {
        zip(targets, targetStates).map { ($0, $1.settled) }
    }

    /// Takes a new view of the kernel's.
    ///
    /// - Parameters:
    ///   - update: The view.
    ///   - isCorrection: The view comes from reading everything again after a loss, not from a message.
    /// - Returns: The transitions, in the order in which they are to be published.
    public mutating func handle(_ update: NetworkUpdate, isCorrection: Bool = false) -> [Transition] {
        let snapshot = update.snapshot
        let now = update.observed.instant
        var transitions: [Transition] = []
        let state = ReachabilityState(snapshot)
        let change = edge(from: reachability.raw, to: state, update, isCorrection) { $0.path }
        if let change { transitions.append(.path(change)) }
        let cause = change?.cause ?? .start
        if let settled = reachability.observe(state, cause: cause, observed: update.observed, at: now) {
            transitions.append(.reachability(settled.change))
        }
        for (index, target) in targets.enumerated() {
            let path = snapshot.lookups[target.address].map { Path($0, in: snapshot) } ?? .unknown
            let state = TargetState(address: target.address, path: path)
            let change = edge(from: targetStates[index].raw, to: state, update, isCorrection) { $0.path }
            if let change { transitions.append(.targetPath(target, change)) }
            let cause = change?.cause ?? .start
            if let settled = targetStates[index].observe(state, cause: cause, observed: update.observed, at: now) {
                transitions.append(.target(target, settled.change))
            }
        }
        return transitions
    }

    /// Lets time pass: publishes what has held long enough.
    public mutating func tick(at now: ContinuousClock.Instant) -> [Transition] {
        var transitions: [Transition] = []
        if let settled = reachability.tick(at: now) { transitions.append(.reachability(settled.change)) }
        for (index, target) in targets.enumerated() {
            if let settled = targetStates[index].tick(at: now) { transitions.append(.target(target, settled.change)) }
        }
        return transitions
    }

    /// When ``tick(at:)`` has to be called next; `nil` while nothing waits.
    public var deadline: ContinuousClock.Instant? {
        ([reachability.deadline] + targetStates.map(\.deadline)).compactMap { $0 }.min()
    }

    private func edge<Value: Sendable & Equatable>(
        from old: Value,
        to new: Value,
        _ update: NetworkUpdate,
        _ isCorrection: Bool,
        path: (Value) -> Path
    ) -> Change<Value>? {
        guard old != new else { return nil }
        let cause: ChangeCause =
            path(old).via == .unknown
            ? .start
            : ChangeCause(changes: update.changes, from: path(old), to: path(new), isCorrection: isCorrection)
        return Change(from: old, to: new, cause: cause, observed: update.observed)
    }
}

extension Settler.Settled {
    fileprivate var change: Change<Value> {
        Change(from: from, to: to, cause: cause, observed: observed, settled: waited)
    }
}
