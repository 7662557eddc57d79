public import NetlinkMonitor
internal import Probes

/// The state machine: network updates, completed checks and time in, transitions out.
///
/// Pure: no I/O and no clock of its own; the same configuration and inputs give the same transitions. The default path, every
/// target and every uplink settle independently of each other. For each subject the raw transition comes before the settled one;
/// nothing is published before the first update, and the first update is published at once, from `unknown`.
///
/// A check costs the same however many probes there are. A suspended machine is told so by
/// ``resume(after:observed:)``.
public struct ReachabilityMachine: Sendable {
    private(set) var configuration: MachineConfiguration
    var reachability: StateSettler
    private var targetStates: [Settler<TargetState>]
    var uplinkStates: UplinkSettler
    var board = ProbeBoard()
    var expiry = ExpiryWatch()
    var flaps = FlapClock()
    /// What flapping is told from: the last state with what was last known of connectivity.
    private var flapGrade: ReachabilityState.Grade?
    /// The input that came last, to tell the time of day of a moment.
    var latest: Observed?

    /// A machine in the state `unknown`.
    public init(settle: SettlePolicy = .standard, targets: [Target] = []) {
        self.init(MachineConfiguration(settle: settle, targets: targets))
    }

    /// A machine in the state `unknown`.
    public init(_ configuration: MachineConfiguration) {
        self.configuration = configuration
        reachability = StateSettler(policy: configuration.settle)
        uplinkStates = UplinkSettler(policy: configuration.settle)
        targetStates = configuration.targets.map { Self.settler($0, configuration.settle) }
        board.setRules(configuration.probes, quorum: configuration.quorum, observed: nil)
    }

    private static func settler(_ target: Target, _ policy: SettlePolicy) -> Settler<TargetState> {
        Settler(unknown: TargetState(address: target.address, path: .unknown), policy: policy)
    }

    /// The settled state.
    public var state: ReachabilityState { reachability.settled }
    /// The settled states of the targets, in their order.
    public var targetPaths: [(target: Target, state: TargetState)] {
        zip(configuration.targets, targetStates).map { ($0, $1.settled) }
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
        latest = update.observed
        var transitions: [Transition] = []
        let paths = ReachabilityState(snapshot)
        board.setVantages(Vantages(snapshot, ipv4: paths.ipv4, ipv6: paths.ipv6), observed: update.observed)
        // A verdict ends before the path that it was about.
        transitions += departures(at: now)
        let old = reachability.raw
        let state = probed(ipv4: paths.ipv4, ipv6: paths.ipv6)
        var cause = ChangeCause.start
        if (old.ipv4, old.ipv6) != (state.ipv4, state.ipv6) {
            cause = self.cause(update, isCorrection, from: old.path, to: state.path)
            transitions.append(.path(Change(from: old, to: state, cause: cause, observed: update.observed)))
        }
        transitions += observe(ipv4: paths.ipv4, ipv6: paths.ipv6, cause: cause, observed: update.observed)
        transitions += uplinkStates.observe(board.uplinks, observed: update.observed) { uplink in
            Self.cause(update, isCorrection, of: uplink)
        }.map(Transition.uplink)
        for (index, target) in configuration.targets.enumerated() {
            let path = snapshot.lookups[target.address].map { Path($0, in: snapshot) } ?? .unknown
            let state = TargetState(address: target.address, path: path)
            let old = targetStates[index].raw
            var cause = ChangeCause.start
            if old != state {
                cause = self.cause(update, isCorrection, from: old.path, to: path)
                let change = Change(from: old, to: state, cause: cause, observed: update.observed)
                transitions.append(.targetPath(target, change))
            }
            if let settled = targetStates[index].observe(state, cause: cause, observed: update.observed, at: now) {
                transitions.append(.target(target, settled))
            }
        }
        return transitions
    }

    /// Takes that the machine was suspended: what happened before counts for no streak, and settling begins anew.
    ///
    /// - Returns: That it was resumed, and what follows from it.
    public mutating func resume(after suspended: Duration, observed: Observed) -> [Transition] {
        latest = observed
        board.suspend()
        flaps.restart(at: observed.instant)
        reachability.restart(at: observed.instant)
        uplinkStates.restart(at: observed.instant)
        board.restartDepartures(at: observed.instant)
        for index in targetStates.indices { targetStates[index].restart(at: observed.instant) }
        return [.resumed(after: suspended, observed: observed)] + tick(at: observed.instant)
    }

    /// Takes another configuration; probes and targets whose rules are the same keep their history.
    public mutating func configure(_ configuration: MachineConfiguration, observed: Observed) -> [Transition] {
        latest = observed
        let old = Dictionary(
            zip(self.configuration.targets, targetStates),
            uniquingKeysWith: { first, _ in first }
        )
        self.configuration = configuration
        reachability.policy = configuration.settle
        uplinkStates.setPolicy(configuration.settle)
        targetStates = configuration.targets.map { target in
            var settler = old[target] ?? Self.settler(target, configuration.settle)
            settler.policy = configuration.settle
            return settler
        }
        let isKnown = reachability.isKnown
        board.setRules(configuration.probes, quorum: configuration.quorum, observed: isKnown ? observed : nil)
        guard isKnown else { return [] }
        let (ipv4, ipv6) = (reachability.raw.ipv4, reachability.raw.ipv6)
        let cause = ChangeCause.reload()
        var transitions = departures(at: observed.instant)
        transitions += observe(ipv4: ipv4, ipv6: ipv6, cause: cause, observed: observed)
        transitions += uplinkStates.observe(board.uplinks, observed: observed) { _ in cause }.map(Transition.uplink)
        return transitions + tick(at: observed.instant)
    }

    /// Lets time pass: publishes what has held long enough.
    public mutating func tick(at now: ContinuousClock.Instant) -> [Transition] {
        var transitions = departures(at: now)
        if let settled = reachability.tick(at: now) { transitions.append(.reachability(settled)) }
        if flaps.isFlapping, flaps.pass(to: now) { transitions += noteFlapping(observed(at: now)) }
        for (index, target) in configuration.targets.enumerated() {
            if let settled = targetStates[index].tick(at: now) { transitions.append(.target(target, settled)) }
        }
        transitions += uplinkStates.tick(at: now).map(Transition.uplink)
        return transitions
    }

    /// When ``tick(at:)`` has to be called next; `nil` while nothing waits.
    public var deadline: ContinuousClock.Instant? {
        let departure = board.departedSince?.advanced(by: configuration.settle.down)
        let deadlines = [reachability.deadline, uplinkStates.deadline, flaps.deadline, departure]
        return (deadlines + targetStates.map(\.deadline)).compactMap { $0 }.min()
    }

    private func cause(_ update: NetworkUpdate, _ isCorrection: Bool, from old: Path, to new: Path) -> ChangeCause {
        guard old.via != .unknown else { return .start }
        // Only the first view of a monitor comes without changes: it was started with another configuration.
        guard !update.changes.isEmpty || isCorrection else {
            return .reload(interface: new.interface?.name ?? old.interface?.name)
        }
        return ChangeCause(changes: update.changes, from: old, to: new, isCorrection: isCorrection)
    }
}

extension ReachabilityMachine {
    private static func cause(_ update: NetworkUpdate, _ isCorrection: Bool, of uplink: Uplink) -> ChangeCause {
        let interface = uplink.interface
        guard !update.changes.isEmpty || isCorrection else { return .reload(interface: interface.name) }
        let reason = uplink.reason.flatMap { ReasonCode(rawValue: $0.code) }
        let path = Path(via: .none, interface: interface, reason: reason)
        return ChangeCause(changes: update.changes, from: path, to: path, isCorrection: isCorrection)
    }

    /// The verdicts of points that have been gone for as long as a loss has to hold.
    private mutating func departures(at now: ContinuousClock.Instant) -> [Transition] {
        board.takeDepartures(before: now.advanced(by: .zero - configuration.settle.down)).map { departed in
            let cause = ChangeCause(
                kind: departed.isRemoved ? .configuration : .route,
                code: departed.isRemoved ? "config_reloaded" : ReasonCode.noRoute.rawValue,
                interface: departed.point.vantage.interface
            )
            let change = Change(from: departed.standing, to: .unknown, cause: cause, observed: departed.observed)
            return .probe(departed.point, change)
        }
    }

    /// The state with what the probes say.
    func probed(ipv4: Path, ipv6: Path) -> ReachabilityState {
        ReachabilityState(ipv4: ipv4, ipv6: ipv6, verdict: board.connectivity, isFlapping: flaps.isFlapping)
    }

    /// Takes the paths, with what the probes say now.
    ///
    /// - Returns: What settled, and that the state began to flap or stopped.
    mutating func observe(ipv4: Path, ipv6: Path, cause: ChangeCause, observed: Observed) -> [Transition] {
        var transitions: [Transition] = []
        let settled = reachability.observe(
            ipv4: ipv4,
            ipv6: ipv6,
            verdict: board.connectivity,
            cause: cause,
            observed: observed
        )
        if let settled { transitions.append(.reachability(settled)) }
        let grade = reachability.raw.grade.known(since: flapGrade)
        defer { flapGrade = grade }
        if grade.isEdge(from: flapGrade) {
            if flaps.edge(at: observed.instant) { transitions += noteFlapping(observed) }
        }
        return transitions
    }

    /// Publishes at once that the state flaps, or no longer does.
    private mutating func noteFlapping(_ observed: Observed) -> [Transition] {
        let isFlapping = flaps.isFlapping
        let from = reachability.settled
        reachability.setFlapping(isFlapping)
        guard from != reachability.settled else { return [] }
        let cause = ChangeCause.flapping(isFlapping, interface: from.path.interface?.name)
        return [.reachability(Change(from: from, to: reachability.settled, cause: cause, observed: observed))]
    }

    /// A moment on both clocks, reckoned from the last input.
    private func observed(at now: ContinuousClock.Instant) -> Observed {
        guard let latest else { return Observed(instant: now, microsecondsSince1970: 0) }
        let passed = latest.instant.duration(to: now) / .microseconds(1)
        let microseconds = Int64(exactly: max(-1e15, min(1e15, passed)).rounded()) ?? 0
        let (sum, isTooLarge) = latest.microsecondsSince1970.addingReportingOverflow(microseconds)
        return Observed(instant: now, microsecondsSince1970: isTooLarge ? latest.microsecondsSince1970 : sum)
    }
}
