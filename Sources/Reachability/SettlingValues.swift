extension Path: SettlingValue {
    /// What a consumer of a path acts on: through what, and through which interface.
    struct Grade: Equatable, Sendable {
        let via: Via
        let interface: UInt32?
        let underlay: UInt32?
    }

    var grade: Grade {
        // The interface of a path that is not usable makes no difference to anybody.
        guard via.isReachable else { return Grade(via: via, interface: nil, underlay: nil) }
        return Grade(via: via, interface: interface?.index, underlay: underlay?.interface?.index)
    }

    func loses(to next: Path) -> Bool { via.isReachable && !next.via.isReachable }
}

extension ConnectivityVerdict: SettlingValue {
    var grade: Connectivity { connectivity }

    /// Worse connectivity is a loss.
    ///
    /// What was known of a path that is still there and now is not counts as lost as well: the verdicts that follow a
    /// change of the path have the time of a loss to arrive, so that a failover is one transition.
    func loses(to next: ConnectivityVerdict) -> Bool {
        guard let goodness else { return false }
        return next.goodness.map { $0 < goodness } ?? (connectivity != .none)
    }

    /// How good it is; somebody who may answer in the targets' place is no better than a portal that does.
    private var goodness: Int? {
        let suspicions = [ReasonCode.portalSuspected.rawValue, ReasonCode.tlsIntercepted.rawValue]
        return reason.map { suspicions.contains($0.code) } == true ? Connectivity.local.goodness : connectivity.goodness
    }
}

extension ReachabilityState {
    struct Grade: Equatable, Sendable {
        let ipv4: Path.Grade
        let ipv6: Path.Grade
        let connectivity: Connectivity
    }

    var grade: Grade { Grade(ipv4: ipv4.grade, ipv6: ipv6.grade, connectivity: connectivity) }

    /// The same state, flapping or not.
    func flapping(_ isFlapping: Bool) -> ReachabilityState {
        ReachabilityState(
            ipv4: ipv4,
            ipv6: ipv6,
            connectivity: connectivity,
            familyConnectivity: familyConnectivity,
            connectivityReason: connectivityReason,
            isFlapping: isFlapping
        )
    }
}

extension ReachabilityState.Grade {
    /// The grade with what was known of connectivity before where nothing is known now: that a path has no verdict yet, or
    /// that there is no path to have one, is no change of its own.
    func known(since before: Self?) -> Self {
        let isTold = connectivity != .unknown && connectivity != .none
        return Self(ipv4: ipv4, ipv6: ipv6, connectivity: isTold ? connectivity : before?.connectivity ?? .unknown)
    }

    /// Whether something changed; the first verdict is no change.
    func isEdge(from before: Self?) -> Bool {
        guard let before else { return true }
        let isFirst = before.connectivity == .unknown
        return ipv4 != before.ipv4 || ipv6 != before.ipv6 || (!isFirst && connectivity != before.connectivity)
    }
}

extension Connectivity {
    /// How good it is; nil when nothing is known.
    var goodness: Int? {
        switch self {
        case .unknown: nil
        case .none: 0
        case .local: 1
        case .portal: 2
        case .partial: 3
        case .full: 4
        }
    }
}

extension TargetState: SettlingValue {
    var grade: Path.Grade { path.grade }

    func loses(to next: TargetState) -> Bool { path.loses(to: next.path) }
}
