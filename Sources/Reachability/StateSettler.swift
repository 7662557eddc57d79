internal import NetlinkMonitor

/// Settles the state of the default path: each family by itself, and what the probes say by itself.
///
/// What happens to one family puts off nothing of the other. Where a path and the verdicts over it change together, they
/// are published together: a path waits for the verdicts as long as a loss would, and takes along what they say.
struct StateSettler: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var ipv4: Settler<Path>
    private var ipv6: Settler<Path>
    private var verdict: Settler<ConnectivityVerdict>
    /// The state as last observed.
    private(set) var raw = ReachabilityState.unknown
    /// Whether the state changes too often to be relied on; counts at once.
    private(set) var isFlapping = false

    /// Settles nothing yet.
    init(policy: SettlePolicy) {
        ipv4 = Settler(unknown: .unknown, policy: policy)
        ipv6 = Settler(unknown: .unknown, policy: policy)
        verdict = Settler(unknown: .unknown, policy: policy)
    }

    /// How long a change must hold; may be replaced while one waits.
    var policy: SettlePolicy {
        get { verdict.policy }
        set { (ipv4.policy, ipv6.policy, verdict.policy) = (newValue, newValue, newValue) }
    }

    /// Whether a state was observed.
    var isKnown: Bool { verdict.isKnown }

    /// The state as last published.
    var settled: ReachabilityState {
        ReachabilityState(ipv4: ipv4.settled, ipv6: ipv6.settled, verdict: verdict.settled, isFlapping: isFlapping)
    }

    /// Takes the paths and what the probes say of them; the first time settles at once.
    mutating func observe(
        ipv4 newIPv4: Path,
        ipv6 newIPv6: Path,
        verdict newVerdict: ConnectivityVerdict,
        cause: ChangeCause,
        observed: Observed
    ) -> Change<ReachabilityState>? {
        let before = settled
        let now = observed.instant
        raw = ReachabilityState(ipv4: newIPv4, ipv6: newIPv6, verdict: newVerdict, isFlapping: isFlapping)
        // Without a path there is nothing to say: what was said before waits for the path's return or loss.
        let isHeld = !raw.hasPath && newVerdict.isProbed == verdict.raw.isProbed && isKnown
        // What several probes do within one settling is the first one's doing.
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
        let first = ipv4.observe(newIPv4, cause: cause, observed: observed, at: now)
        let second = ipv6.observe(newIPv6, cause: cause, observed: observed, at: now)
        return settle(from: before, first, second, third, at: now)
    }

    /// Lets time pass.
    mutating func tick(at now: Instant) -> Change<ReachabilityState>? {
        let before = settled
        return settle(from: before, ipv4.tick(at: now), ipv6.tick(at: now), verdict.tick(at: now), at: now)
    }

    /// Lets the waiting begin anew: the time before does not count.
    mutating func restart(at now: Instant) {
        ipv4.restart(at: now)
        ipv6.restart(at: now)
        verdict.restart(at: now)
    }

    /// Takes whether the state flaps.
    mutating func setFlapping(_ isFlapping: Bool) {
        self.isFlapping = isFlapping
        raw = raw.flapping(isFlapping)
    }

    /// When ``tick(at:)`` has something to do, unless an observation comes first.
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
        // What waited for the verdicts alone may be due now.
        if first == nil { first = ipv4.tick(at: now) }
        if second == nil { second = ipv6.tick(at: now) }
        if first != nil || second != nil, verdict.isPending, !verdict.settled.loses(to: verdict.raw) {
            third = verdict.publish(at: now) ?? third
        }
        coordinate()
        let after = settled
        guard after != before else { return nil }
        let path = [first, second].compactMap { $0 }.first { $0.to == after.path } ?? first ?? second
        guard let cause = path?.cause ?? third?.cause, let observed = path?.observed ?? third?.observed,
            let waited = path?.settled ?? third?.settled
        else { return nil }
        if before.hasPath, !after.hasPath {
            let said = raw.hasPath ? verdict.raw : verdict.raw.forgotten
            verdict.reset(settled: said.forgotten, raw: said, cause: cause, observed: observed, at: now)
        }
        return Change(from: before, to: settled, cause: cause, observed: observed, settled: waited)
    }

    /// A path that leads elsewhere now and the verdicts over it wait for each other, as long as a loss has to hold.
    private mutating func coordinate() {
        let isDoubtful = verdict.settled.loses(to: verdict.raw)
        ipv4.isPatient = isDoubtful
        ipv6.isPatient = isDoubtful
        verdict.isPatient = ipv4.raw.grade != ipv4.settled.grade || ipv6.raw.grade != ipv6.settled.grade
    }
}

extension ReachabilityState {
    /// The state of paths with what the probes say, as far as the two belong together.
    ///
    /// The probes say nothing about a family without a path, and what they say about a path that has been lost meanwhile is
    /// not that there is none.
    init(ipv4: Path, ipv6: Path, verdict: ConnectivityVerdict, isFlapping: Bool) {
        func said(_ path: Path, _ connectivity: Connectivity) -> Connectivity {
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
                FamilyConnectivity(ipv4: said(ipv4, families.ipv4), ipv6: said(ipv6, families.ipv6))
            } ?? FamilyConnectivity(),
            connectivityReason: hasPath ? verdict.reason : nil,
            isFlapping: isFlapping
        )
    }

    /// Whether packets of either family can leave.
    var hasPath: Bool { ipv4.via.isReachable || ipv6.via.isReachable }
}
