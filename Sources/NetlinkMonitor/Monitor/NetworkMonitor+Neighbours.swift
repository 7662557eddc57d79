/// The state of a next hop's neighbour entry, as far as it affects the kernel's choice of a route.
public enum NeighbourState: String, Sendable, Hashable, CaseIterable {
    /// The kernel does not answer for single entries (before Linux 5.0).
    case unknown
    /// IPv4: there is no entry, because no packet was sent to the next hop recently.
    case absent
    /// IPv4: the next hop was confirmed recently.
    case reachable
    /// IPv4: its link-layer address is known. IPv6: neighbour discovery has not failed.
    case usable
    /// IPv4: the next hop has not answered yet.
    case resolving
    /// The next hop does not answer.
    case failed

    init(_ state: RouterState) {
        self =
            switch state {
            case .unknown: .unknown
            case .absent: .absent
            case .reachable: .reachable
            case .usable: .usable
            case .resolving: .resolving
            case .failed: .failed
            }
    }
}

extension NetworkMonitor {
    /// Reads the neighbour entries of next hops; nothing is sent to them.
    ///
    /// - Returns: The states of the hops that have an interface and a gateway.
    /// - Throws: ``NetlinkError`` when netlink is not available or the kernel rejects queries.
    public static func neighbourStates(
        of hops: some Sequence<NextHop>
    ) throws(NetlinkError) -> [NextHop: NeighbourState] {
        var routers: [Router: NextHop] = [:]
        for hop in hops {
            guard let index = hop.interfaceIndex, let gateway = hop.gateway else { continue }
            routers[Router(interfaceIndex: index, address: gateway)] = hop
        }
        var kernel = try RequestSocket()
        let states = try kernel.states(of: Set(routers.keys))
        var result: [NextHop: NeighbourState] = [:]
        for (router, state) in states {
            if let hop = routers[router] { result[hop] = NeighbourState(state) }
        }
        return result
    }
}
