internal import CLibNL
internal import Glibc

/// The source of notifications: the event socket, or a test's script.
protocol NotificationSource {
    /// Reads one datagram if available.
    mutating func receive() throws(NetlinkError) -> NetlinkSocket.Received
    /// Passes only those route and neighbour messages that concern these addresses and routers.
    mutating func watch(_ watched: WatchedNetwork) throws(NetlinkError)
    /// Returns the number of datagrams dropped since the last call.
    mutating func takeDrops() -> UInt32
    /// Replaces a broken socket by a new one, with this filter from the start.
    mutating func reopen(watching watched: WatchedNetwork) throws(NetlinkError)
}

/// The addresses and routers that pass the filter of the event socket.
struct WatchedNetwork: Sendable, Equatable {
    /// The looked-up addresses, and the remote and local ones of tunnels.
    var addresses: Set<IPAddress> = []
    /// The routers among which the kernel selects, with their known states.
    var routers: [Router: NeighbourState] = [:]
    /// Those of the routers that need a valid neighbour entry.
    var needingValidity: Set<Router> = []

    /// Returns a router's state as far as the kernel's selection depends on it.
    ///
    /// The kernel leaves the routers of most IPv6 routes only once they have failed.
    func relevantState(_ state: NeighbourState, of router: Router) -> NeighbourState {
        state == .resolving && !needingValidity.contains(router) ? .usable : state
    }
}

/// The socket for the kernel's notifications.
struct EventSocket: NotificationSource {
    private static let groups: [rtnetlink_groups] = [
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_IPV4_NETCONF, RTNLGRP_IPV6_NETCONF, RTNLGRP_NEXTHOP,
    ]

    private let receiveBufferBytes: Int
    private var socket: NetlinkSocket
    private var reportedDrops: UInt32 = 0
    private var hearsNeighbours: Bool

    /// The descriptor to poll for readability.
    var descriptor: Int32 { socket.descriptor }

    /// Opens the socket and joins the groups, filtered from the first message on.
    init(receiveBufferBytes: Int, watching watched: WatchedNetwork) throws(NetlinkError) {
        self.receiveBufferBytes = receiveBufferBytes
        hearsNeighbours = !watched.routers.isEmpty
        socket = try Self.open(receiveBufferBytes, watched)
    }

    mutating func reopen(watching watched: WatchedNetwork) throws(NetlinkError) {
        self = try EventSocket(receiveBufferBytes: receiveBufferBytes, watching: watched)
    }

    private static func open(_ bufferBytes: Int, _ watched: WatchedNetwork) throws(NetlinkError) -> NetlinkSocket {
        let socket = try NetlinkSocket()
        socket.enlargeReceiveBuffer(to: Int32(clamping: bufferBytes))
        try RouteFilter(covering: watched.addresses, routers: watched.routers).attach(to: socket.descriptor)
        for group in watched.routers.isEmpty ? groups : groups + [RTNLGRP_NEIGH] {
            do throws(NetlinkError) {
                try socket.join(group)
            } catch {
                // Kernels before 5.3 have no nexthop objects, so the missing group is harmless.
                guard group == RTNLGRP_NEXTHOP else { throw error }
            }
        }
        return socket
    }

    mutating func receive() throws(NetlinkError) -> NetlinkSocket.Received { try socket.receive() }

    mutating func watch(_ watched: WatchedNetwork) throws(NetlinkError) {
        try RouteFilter(covering: watched.addresses, routers: watched.routers).attach(to: socket.descriptor)
        // If the kernel has no choice among routers, neighbour messages need not even be filtered.
        guard hearsNeighbours == watched.routers.isEmpty else { return }
        if hearsNeighbours { try socket.leave(RTNLGRP_NEIGH) } else { try socket.join(RTNLGRP_NEIGH) }
        hearsNeighbours.toggle()
    }

    mutating func takeDrops() -> UInt32 {
        let drops = socket.drops
        defer { reportedDrops = drops }
        return drops &- reportedDrops
    }
}
