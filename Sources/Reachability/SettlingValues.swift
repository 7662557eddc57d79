extension Path: SettlingValue {
    /// The relevant part of a path: its medium and its interface.
    struct Grade: Equatable, Sendable {
        let via: Via
        let interface: UInt32?
        let underlay: UInt32?
    }

    var grade: Grade {
        // The interface of an unusable path is irrelevant to consumers.
        guard via.isReachable else { return Grade(via: via, interface: nil, underlay: nil) }
        return Grade(via: via, interface: interface?.index, underlay: underlay?.interface?.index)
    }

    func loses(to next: Path) -> Bool { via.isReachable && !next.via.isReachable }
}

extension ConnectivityVerdict: SettlingValue {
    var grade: Connectivity { connectivity }

    /// Returns whether the connectivity becomes worse, which is a loss.
    ///
    /// Losing a verdict about a path that still exists counts as a loss too: the verdicts that follow a change of the
    /// path have the time of a loss to arrive, so that a failover is one transition.
    func loses(to next: ConnectivityVerdict) -> Bool {
        guard let goodness else { return false }
        return next.goodness.map { $0 < goodness } ?? (connectivity != .none)
    }

    /// The rank of the connectivity; an interceptor that may answer in the targets' place ranks with a portal.
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

    /// Returns the same state with another flapping flag.
    func flapping(_ isFlapping: Bool) -> ReachabilityState {
        ReachabilityState(
            ipv4: ipv4,
            ipv6: ipv6,
            connectivity: connectivity,
            familyConnectivity: familyConnectivity,
            connectivityReason: connectivityReason,
            isFlapping: isFlapping,
            alternative: alternative
        )
    }

    /// The same state without its alternative.
    var withoutAlternative: ReachabilityState {
        var state = self
        state.alternative = nil
        return state
    }

    /// Returns the same state with its alternative among these uplinks.
    ///
    /// - Parameter proven: The names of the uplinks over which a check has succeeded since the path fell silent.
    func among(_ uplinks: [Uplink], proven: Set<String>) -> ReachabilityState {
        var state = self
        state.alternative = PathAlternative(to: self, among: uplinks, proven: proven)
        return state
    }
}

extension ReachabilityState.Grade {
    /// Returns the grade with the previous connectivity if the current one is unknown: a path without a verdict yet, or
    /// no path, is not a change of its own.
    func known(since before: Self?) -> Self {
        let isKnown = connectivity != .unknown && connectivity != .none
        return Self(ipv4: ipv4, ipv6: ipv6, connectivity: isKnown ? connectivity : before?.connectivity ?? .unknown)
    }

    /// Returns whether the grade changed; the first verdict is not a change.
    func isEdge(from before: Self?) -> Bool {
        guard let before else { return true }
        let isFirst = before.connectivity == .unknown
        return ipv4 != before.ipv4 || ipv6 != before.ipv6 || (!isFirst && connectivity != before.connectivity)
    }
}

extension Connectivity {
    /// The rank of the connectivity; nil when unknown.
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

    func isPublished(like other: TargetState) -> Bool { address == other.address && path.isPublished(like: other.path) }
}
