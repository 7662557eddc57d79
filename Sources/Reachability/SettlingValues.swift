extension Path {
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

extension ReachabilityState: SettlingValue {
    struct Grade: Equatable, Sendable {
        let ipv4: Path.Grade
        let ipv6: Path.Grade
        let connectivity: Connectivity
    }

    var grade: Grade { Grade(ipv4: ipv4.grade, ipv6: ipv6.grade, connectivity: connectivity) }

    /// The loss of one family is a loss.
    func loses(to next: ReachabilityState) -> Bool { ipv4.loses(to: next.ipv4) || ipv6.loses(to: next.ipv6) }
}

extension TargetState: SettlingValue {
    var grade: Path.Grade { path.grade }

    func loses(to next: TargetState) -> Bool { path.loses(to: next.path) }
}
