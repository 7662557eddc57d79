internal import CheckResults
public import NetlinkMonitor

/// The state machine: network updates, completed checks and time in, transitions out.
///
/// Pure: no I/O and no clock of its own; the same configuration and inputs give the same transitions. The default path,
/// every target and every uplink settle independently. For each subject the raw transition precedes the settled one;
/// nothing is published before the first update, and the first update is published at once, from `unknown`.
///
/// The cost of a check does not depend on the number of probes. After a suspend call ``resume(after:observed:)``.
public struct ReachabilityMachine: Sendable {
    private(set) var configuration: MachineConfiguration
    var reachability: StateSettler
    private var targetStates: [Settler<TargetState>]
    var uplinkStates: UplinkSettler
    var probeTracks = ProbeTracks()
    var expiry = ExpiryWatch()
    var flaps = FlapClock()
    /// The names of the uplinks over which nothing answers, and `nil` for the default path.
    var silentVantages: Set<String?> = []
    /// The last state with the last known connectivity, in which flapping is detected.
    private var flapGrade: ReachabilityState.Grade?
    /// The last input, which relates the monotonic clock to the time of day.
    var latest: Observed?
    /// The latest snapshot: a reload may name interfaces that were irrelevant before.
    private var view: NetworkSnapshot?
    /// The default paths by the last certain answers.
    private var defaultPaths = (ipv4: PathDerivation.unknown, ipv6: PathDerivation.unknown)
    /// The names of the interfaces that probes are bound to.
    private var bound: Set<String> = []

    /// Creates a machine in the state `unknown`.
    public init(settle: SettlePolicy = .standard, targets: [Target] = []) {
        self.init(MachineConfiguration(settle: settle, targets: targets))
    }

    /// Creates a machine in the state `unknown`.
    public init(_ configuration: MachineConfiguration) {
        self.configuration = configuration
        reachability = StateSettler(policy: configuration.settle)
        uplinkStates = UplinkSettler(policy: configuration.settle)
        targetStates = configuration.targets.map { Self.settler($0, configuration.settle) }
        probeTracks.setRules(configuration.probes, quorum: configuration.quorum, observed: nil)
        bound = configuration.boundInterfaces
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

    /// Handles a new network snapshot.
    ///
    /// - Parameters:
    ///   - update: The snapshot and its changes.
    ///   - isCorrection: `true` if the update comes from a resynchronization after a loss, not from a message.
    /// - Returns: The transitions, in order of publication.
    public mutating func handle(_ update: NetworkUpdate, isCorrection: Bool = false) -> [Transition] {
        var transitions: [Transition] = []
        handle(update, isCorrection: isCorrection) { transitions.append($0) }
        return transitions
    }

    /// Handles a new network snapshot, and passes on each transition as soon as it is known.
    ///
    /// The change of the path is known before the uplinks settle, and its subscribers need not wait for that.
    ///
    /// - Parameters:
    ///   - update: The snapshot and its changes.
    ///   - isCorrection: `true` if the update comes from a resynchronization after a loss, not from a message.
    ///   - emit: Called for each transition, in order of publication.
    public mutating func handle(_ update: NetworkUpdate, isCorrection: Bool, _ emit: (Transition) -> Void) {
        let snapshot = update.snapshot
        let now = update.observed.instant
        latest = update.observed
        publishOverdue(at: now).forEach(emit)
        defaultPaths.ipv4 = PathDerivation(.ipv4, in: snapshot).known(since: defaultPaths.ipv4)
        defaultPaths.ipv6 = PathDerivation(.ipv6, in: snapshot).known(since: defaultPaths.ipv6)
        let (ipv4, ipv6) = defaultPaths
        // Only the first snapshot of a monitor has no changes: the monitor was restarted for a new configuration.
        let isReload = view != nil && update.changes.isEmpty && !isCorrection
        view = snapshot
        probeTracks.setVantages(Vantages(snapshot, ipv4: ipv4, ipv6: ipv6, bound: bound), observed: update.observed)
        // A verdict ends before the path that it applies to.
        departures(at: now).forEach(emit)
        replacedNextHops(update, isCorrection).forEach(emit)
        let old = reachability.raw
        let state = reachability.combined(ipv4: ipv4.path, ipv6: ipv6.path, verdict: probeTracks.connectivity)
        func because(_ family: AddressFamily) -> ChangeCause {
            Self.cause(update, isReload, isCorrection, of: family, from: old, to: state)
        }
        let pathCauses = (ipv4: because(.ipv4), ipv6: because(.ipv6))
        let family = state.decidingFamily(since: old)
        let cause = family == .ipv4 ? pathCauses.ipv4 : pathCauses.ipv6
        if !state.hasPathsPublished(like: old) {
            // The uplinks have not settled: one that works may be lost in the same snapshot.
            emit(.path(Change(from: old.withoutAlternative, to: state, cause: cause, observed: update.observed)))
        }
        let uplinks = uplinkStates.observe(probeTracks.uplinks, observed: update.observed) { uplink in
            Self.cause(update, isCorrection, of: uplink, from: old, to: state)
        }
        follow(uplinks).forEach(emit)
        observe(
            ipv4: ipv4.path,
            ipv6: ipv6.path,
            cause: cause,
            pathCauses: pathCauses,
            observed: update.observed
        )
        .forEach(emit)
        Self.published(uplinks).forEach(emit)
        doubtNewSilences(update.observed) { uplink in
            let path = uplink.map { Path(via: .none, interface: $0) }
            return Self.cause(
                update,
                isReload,
                isCorrection,
                from: path ?? old.path,
                to: path ?? state.path,
                family: uplink.map { Self.family(of: $0, in: update.changes, from: old, to: state) } ?? family
            )
        }
        .forEach(emit)
        for (index, target) in configuration.targets.enumerated() {
            observeTarget(index, in: snapshot, observed: update.observed) { old, new in
                Self.cause(update, isReload, isCorrection, from: old, to: new, family: target.address.family)
            }
            .forEach(emit)
        }
    }

    /// Returns the transitions of a target's path in a snapshot; that of an address that was not looked up is unknown.
    ///
    /// A new target has no state before the first lookup: one more view of the monitor before a reload says nothing. An
    /// uncertain answer changes nothing.
    private mutating func observeTarget(
        _ index: Int,
        in snapshot: NetworkSnapshot,
        observed: Observed,
        cause: (Path, Path) -> ChangeCause
    ) -> [Transition] {
        let target = configuration.targets[index]
        let lookup = snapshot.lookups[target.address]
        let path = lookup.map { Path($0, in: snapshot) } ?? .unknown
        let isNoLongerLookedUp = lookup == nil && targetStates[index].isKnown
        guard path.via != .unknown || isNoLongerLookedUp else { return [] }
        let state = TargetState(address: target.address, path: path)
        let old = targetStates[index].raw
        var transitions: [Transition] = []
        var reason = ChangeCause.start
        if old != state { reason = cause(old.path, path) }
        if !state.isPublished(like: old) {
            transitions.append(.targetPath(target, Change(from: old, to: state, cause: reason, observed: observed)))
        }
        let settled = targetStates[index].observe(state, cause: reason, observed: observed, at: observed.instant)
        return transitions + Self.published(settled, of: target)
    }

    /// Handles the end of a suspend: earlier checks no longer count for streaks, and settling restarts.
    ///
    /// - Returns: The transition of the resume itself, and those that follow from it.
    public mutating func resume(after suspended: Duration, observed: Observed) -> [Transition] {
        latest = observed
        probeTracks.suspend()
        flaps.restart(at: observed.instant)
        reachability.restart(at: observed.instant)
        uplinkStates.restart(at: observed.instant)
        probeTracks.restartDepartures(at: observed.instant)
        for index in targetStates.indices { targetStates[index].restart(at: observed.instant) }
        return [.resumed(after: suspended, observed: observed)] + doubtSilences(observed) + tick(at: observed.instant)
    }

    /// Applies a new configuration; probes and targets with unchanged rules keep their history.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - observed: The time of the change.
    ///   - isAnnouncement: `true` if the networks announce other portals, not for a reload of the operator's settings.
    public mutating func configure(
        _ configuration: MachineConfiguration,
        observed: Observed,
        isAnnouncement: Bool = false
    ) -> [Transition] {
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
        probeTracks.setRules(configuration.probes, quorum: configuration.quorum, observed: isKnown ? observed : nil)
        let oldBound = bound
        bound = configuration.boundInterfaces
        guard isKnown else { return [] }
        let (ipv4, ipv6) = (reachability.raw.ipv4, reachability.raw.ipv6)
        if bound != oldBound, let view {
            let vantages = Vantages(view, ipv4: defaultPaths.ipv4, ipv6: defaultPaths.ipv6, bound: bound)
            probeTracks.setVantages(vantages, observed: observed)
        }
        func because(_ interface: String?) -> ChangeCause {
            isAnnouncement ? .announcement(interface: interface) : .reload(interface: interface)
        }
        let cause = because(nil)
        var transitions = departures(at: observed.instant, removal: because)
        let uplinks = uplinkStates.observe(probeTracks.uplinks, observed: observed) { _ in cause }
        transitions += follow(uplinks)
        transitions += observe(ipv4: ipv4, ipv6: ipv6, cause: cause, observed: observed)
        transitions += Self.published(uplinks)
        transitions += doubtNewSilences(observed) { because($0?.name) }
        if let view {
            // The monitor is restarted for an address that is not looked up yet, and only then.
            for (index, target) in configuration.targets.enumerated()
            where old[target] == nil && view.lookups[target.address] != nil {
                transitions += observeTarget(index, in: view, observed: observed) { old, new in
                    because(new.interface?.name ?? old.interface?.name)
                }
            }
        }
        return transitions + tick(at: observed.instant)
    }

    /// Advances the time: publishes changes that have held long enough.
    public mutating func tick(at now: ContinuousClock.Instant) -> [Transition] {
        var transitions = departures(at: now)
        let uplinks = uplinkStates.tick(at: now)
        transitions += follow(uplinks)
        if let settled = reachability.tick(at: now) { transitions.append(.reachability(settled)) }
        if flaps.isFlapping, flaps.pass(to: now) { transitions += noteFlapping(observed(at: now)) }
        for (index, target) in configuration.targets.enumerated() {
            transitions += Self.published(targetStates[index].tick(at: now), of: target)
        }
        return transitions + Self.published(uplinks)
    }

    /// Publishes changes that have held long enough before an input is handled, which may come before the timer: that is
    /// late on a busy machine.
    mutating func publishOverdue(at now: ContinuousClock.Instant) -> [Transition] {
        guard let deadline, deadline <= now else { return [] }
        return tick(at: now)
    }

    /// The time at which ``tick(at:)`` must be called next; `nil` while nothing is pending.
    public var deadline: ContinuousClock.Instant? {
        let departure = probeTracks.departedSince?.advanced(by: configuration.settle.down)
        let deadlines = [reachability.deadline, uplinkStates.deadline, flaps.deadline, departure]
        return (deadlines + targetStates.map(\.deadline)).compactMap { $0 }.min()
    }
}

extension ReachabilityMachine {
    /// Returns the ends of the verdicts on next hops that others have replaced.
    private mutating func replacedNextHops(_ update: NetworkUpdate, _ isCorrection: Bool) -> [Transition] {
        probeTracks.takeReplacedNextHops().map { point, step in
            let uplink = probeTracks.vantages.uplinks.first { $0.interface.name == point.vantage.interface }
            let family: AddressFamily? =
                switch point.vantage.families {
                case .any: nil
                case .ipv4: .ipv4
                case .ipv6: .ipv6
                }
            let cause = ChangeCause(
                changes: update.changes,
                of: uplink?.interface,
                family: family,
                isCorrection: isCorrection
            )
            return .probe(point, Change(from: step.from, to: step.to, cause: cause, observed: update.observed))
        }
    }

    /// Returns the end of the verdicts of points that were removed at least the settle time of a loss ago.
    ///
    /// - Parameter removal: Returns the cause of the end of a point that the configuration no longer contains.
    private mutating func departures(
        at now: ContinuousClock.Instant,
        removal: (String?) -> ChangeCause = ChangeCause.reload
    ) -> [Transition] {
        probeTracks.takeDepartures(before: now.advanced(by: .zero - configuration.settle.down)).map { departed in
            let interface = departed.point.vantage.interface
            let lost = ChangeCause(kind: .route, code: ReasonCode.noRoute.rawValue, interface: interface)
            let cause = departed.isRemoved ? removal(interface) : lost
            let change = Change(from: departed.track.published, to: .unknown, cause: cause, observed: departed.observed)
            return .probe(departed.point, change)
        }
    }

    /// Returns the changes that events show.
    static func published(_ uplinks: [Change<Uplink>]) -> [Transition] {
        uplinks.filter { !$0.from.isPublished(like: $0.to) }.map(Transition.uplink)
    }

    /// Returns the change of a target, if events show it.
    private static func published(_ change: Change<TargetState>?, of target: Target) -> [Transition] {
        guard let change, !change.to.isPublished(like: change.from) else { return [] }
        return [.target(target, change)]
    }

    /// Applies the uplink changes about to be published, before the paths: changes that settle at the same moment are
    /// one transition.
    mutating func follow(_ uplinks: [Change<Uplink>]) -> [Transition] {
        guard !uplinks.isEmpty || !reachability.isKnown else { return [] }
        return reachability.follow(uplinks, to: uplinkStates.settled).map { [.reachability($0)] } ?? []
    }

    /// Handles the paths, with the current connectivity.
    ///
    /// - Returns: The settled transition, and the start or end of flapping.
    mutating func observe(
        ipv4: Path,
        ipv6: Path,
        cause: ChangeCause,
        pathCauses: (ipv4: ChangeCause, ipv6: ChangeCause)? = nil,
        observed: Observed
    ) -> [Transition] {
        var transitions: [Transition] = []
        let settled = reachability.observe(
            ipv4: ipv4,
            ipv6: ipv6,
            verdict: probeTracks.connectivity,
            cause: cause,
            pathCauses: pathCauses,
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

    /// Publishes at once that flapping started or stopped.
    private mutating func noteFlapping(_ observed: Observed) -> [Transition] {
        let isFlapping = flaps.isFlapping
        let from = reachability.settled
        reachability.setFlapping(isFlapping)
        guard from != reachability.settled else { return [] }
        let cause = ChangeCause.flapping(isFlapping, interface: from.path.interface?.name)
        return [.reachability(Change(from: from, to: reachability.settled, cause: cause, observed: observed))]
    }

    /// Converts an instant to both clocks, relative to the last input.
    private func observed(at now: ContinuousClock.Instant) -> Observed {
        guard let latest else { return Observed(instant: now, microsecondsSince1970: 0) }
        let passed = latest.instant.duration(to: now) / .microseconds(1)
        let microseconds = Int64(exactly: max(-1e15, min(1e15, passed)).rounded()) ?? 0
        let (sum, isTooLarge) = latest.microsecondsSince1970.addingReportingOverflow(microseconds)
        return Observed(instant: now, microsecondsSince1970: isTooLarge ? latest.microsecondsSince1970 : sum)
    }
}
