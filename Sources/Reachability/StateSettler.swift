internal import NetlinkMonitor

/// Settles the state of the default path: each family and the connectivity independently.
///
/// A change of one family never delays the other. When a path and the verdicts over it change together, they are
/// published together: the path waits for the verdicts as long as a loss would.
struct StateSettler: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var ipv4: Settler<Path>
    private var ipv6: Settler<Path>
    private var verdict: Settler<ConnectivityVerdict>
    /// The last observed state.
    private(set) var raw = ReachabilityState.unknown
    /// `true` if the state changes too often to be reliable; takes effect at once.
    private(set) var isFlapping = false
    /// The uplinks as last published, which have settled independently.
    private var uplinks: [Uplink] = []
    /// The names of the uplinks over which a check has succeeded since the default path last fell silent.
    private var proven: Set<String> = []

    /// Creates a settler without observations.
    init(policy: SettlePolicy) {
        ipv4 = Settler(unknown: .unknown, policy: policy)
        ipv6 = Settler(unknown: .unknown, policy: policy)
        verdict = Settler(unknown: .unknown, policy: policy)
    }

    /// The policy, which may be replaced during a wait.
    var policy: SettlePolicy {
        get { verdict.policy }
        set { (ipv4.policy, ipv6.policy, verdict.policy) = (newValue, newValue, newValue) }
    }

    /// `true` once a state was observed.
    var isKnown: Bool { verdict.isKnown }

    /// The last published state.
    var settled: ReachabilityState {
        combined(ipv4: ipv4.settled, ipv6: ipv6.settled, verdict: verdict.settled).among(
            uplinks,
            proven: proven
        )
    }

    /// Handles the paths and the verdicts over them; the first observation settles at once.
    ///
    /// - Parameter pathCauses: The cause of each family's change, if it is not the same for both.
    mutating func observe(
        ipv4 newIPv4: Path,
        ipv6 newIPv6: Path,
        verdict newVerdict: ConnectivityVerdict,
        cause: ChangeCause,
        pathCauses: (ipv4: ChangeCause, ipv6: ChangeCause)? = nil,
        observed: Observed
    ) -> Change<ReachabilityState>? {
        let before = settled
        let now = observed.instant
        let next = combined(ipv4: newIPv4, ipv6: newIPv6, verdict: newVerdict)
        // One that is published lasts until its end is: an answer that did not hold is none.
        if next.isSilent, !raw.isSilent, !before.isSilent { proven = [] }
        raw = next.among(uplinks, proven: proven)
        // Without a path there is no verdict: the previous one waits for the path's return or loss.
        let isHeld = !raw.hasPath && newVerdict.isProbed == verdict.raw.isProbed && isKnown
        // Several probes that change during one wait share the first one's cause.
        let keepsCause = cause.kind == .probe && verdict.pendingCause?.kind == .probe
        verdict.isPatient = newIPv4.grade != ipv4.settled.grade || newIPv6.grade != ipv6.settled.grade
        let third = verdict.observe(
            isHeld ? verdict.raw : raw.hasPath ? newVerdict : newVerdict.forgotten,
            cause: cause,
            observed: observed,
            at: now,
            keepsCause: keepsCause
        )
        coordinate()
        let first = ipv4.observe(newIPv4, cause: pathCauses?.ipv4 ?? cause, observed: observed, at: now)
        let second = ipv6.observe(newIPv6, cause: pathCauses?.ipv6 ?? cause, observed: observed, at: now)
        return settle(from: before, first, second, third, at: now)
    }

    /// Returns the state of these paths with the probes' verdict, without an alternative.
    func combined(ipv4: Path, ipv6: Path, verdict: ConnectivityVerdict) -> ReachabilityState {
        ReachabilityState(ipv4: ipv4, ipv6: ipv6, verdict: verdict, isFlapping: isFlapping)
    }

    /// Applies newly published uplinks: a dead path may have gained or lost its alternative.
    mutating func follow(_ changes: [Change<Uplink>], to uplinks: [Uplink]) -> Change<ReachabilityState>? {
        let before = settled
        self.uplinks = uplinks
        raw = raw.among(uplinks, proven: proven)
        let after = settled
        let concerned = [before.alternative, after.alternative].compactMap { $0?.interface.index }
        guard isKnown, !after.isPublished(like: before),
            let change = changes.first(where: { concerned.contains($0.to.interface.index) }) ?? changes.first
        else { return nil }
        return Change(
            from: before,
            to: after,
            cause: change.cause,
            observed: change.observed,
            settled: change.settled
        )
    }

    /// Handles a successful check over an uplink, which proves that it works during a silence over the default path.
    mutating func prove(_ uplink: String, cause: ChangeCause, observed: Observed) -> Change<ReachabilityState>? {
        guard raw.isSilent, !proven.contains(uplink) else { return nil }
        let before = settled
        proven.insert(uplink)
        raw = raw.among(uplinks, proven: proven)
        let after = settled
        guard !after.isPublished(like: before) else { return nil }
        return Change(from: before, to: after, cause: cause, observed: observed, settled: .zero)
    }

    /// Advances the time.
    mutating func tick(at now: Instant) -> Change<ReachabilityState>? {
        let before = settled
        return settle(from: before, ipv4.tick(at: now), ipv6.tick(at: now), verdict.tick(at: now), at: now)
    }

    /// Restarts the wait: the time before does not count.
    mutating func restart(at now: Instant) {
        ipv4.restart(at: now)
        ipv6.restart(at: now)
        verdict.restart(at: now)
    }

    /// Sets the flapping flag.
    mutating func setFlapping(_ isFlapping: Bool) {
        self.isFlapping = isFlapping
        raw = raw.flapping(isFlapping)
    }

    /// The time at which ``tick(at:)`` must be called, unless an observation comes first.
    var deadline: Instant? { [ipv4.deadline, ipv6.deadline, verdict.deadline].compactMap { $0 }.min() }

    private mutating func settle(
        from before: ReachabilityState,
        _ first: Change<Path>?,
        _ second: Change<Path>?,
        _ third: Change<ConnectivityVerdict>?,
        at now: Instant
    ) -> Change<ReachabilityState>? {
        var (first, second, third) = (first, second, third)
        coordinate()
        // A path that waited for the verdicts may be due now.
        if first == nil { first = ipv4.tick(at: now) }
        if second == nil { second = ipv6.tick(at: now) }
        if first != nil || second != nil, verdict.isPending, !verdict.settled.loses(to: verdict.raw) {
            third = verdict.publish(at: now) ?? third
        }
        coordinate()
        let after = settled
        guard !after.isPublished(like: before) else { return nil }
        let path = after.decidingFamily(since: before) == .ipv4 ? first ?? second : second ?? first
        guard let cause = path?.cause ?? third?.cause, let observed = path?.observed ?? third?.observed,
            let waited = path?.settled ?? third?.settled
        else { return nil }
        if before.hasPath, !after.hasPath {
            let current = raw.hasPath ? verdict.raw : verdict.raw.forgotten
            verdict.reset(settled: current.forgotten, raw: current, cause: cause, observed: observed, at: now)
        }
        return Change(from: before, to: settled, cause: cause, observed: observed, settled: waited)
    }

    /// Makes a new path and the verdicts over it wait for each other, as long as a loss must hold.
    private mutating func coordinate() {
        let isDoubtful = verdict.settled.loses(to: verdict.raw)
        ipv4.isPatient = isDoubtful
        ipv6.isPatient = isDoubtful
        verdict.isPatient = ipv4.raw.grade != ipv4.settled.grade || ipv6.raw.grade != ipv6.settled.grade
    }
}

extension ReachabilityState {
    /// Combines paths and verdicts that belong together.
    ///
    /// A family without a path has no verdicts, and verdicts about a lost path do not imply that there is no path.
    init(ipv4: Path, ipv6: Path, verdict: ConnectivityVerdict, isFlapping: Bool) {
        func published(_ path: Path, _ connectivity: Connectivity) -> Connectivity {
            guard path.via.isReachable else { return .none }
            return connectivity == .none ? .unknown : connectivity
        }
        let hasPath = ipv4.via.isReachable || ipv6.via.isReachable
        let isNone = ipv4.via == .none && ipv6.via == .none
        self.init(
            ipv4: ipv4,
            ipv6: ipv6,
            connectivity: isNone ? Connectivity.none : verdict.connectivity == .none ? .unknown : verdict.connectivity,
            familyConnectivity: verdict.families.map { families in
                FamilyConnectivity(ipv4: published(ipv4, families.ipv4), ipv6: published(ipv6, families.ipv6))
            } ?? FamilyConnectivity(),
            connectivityReason: hasPath ? verdict.reason : nil,
            isFlapping: isFlapping
        )
    }

    /// `true` if there is a path, and nothing answers over it.
    var isSilent: Bool { hasPath && connectivity == .local }

    /// `true` if packets of either family can leave.
    var hasPath: Bool { ipv4.via.isReachable || ipv6.via.isReachable }
}
