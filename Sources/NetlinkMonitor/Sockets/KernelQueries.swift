internal import CLibNL
internal import Glibc

/// Queries of the kernel, besides notifications.
///
/// ``NetlinkQueries`` queries the real kernel; tests use scripted implementations.
protocol KernelQueries {
    /// Returns all interfaces of the namespace.
    mutating func links() throws(NetlinkError) -> [LinkMessage]
    /// Returns all IPv4 and IPv6 addresses.
    mutating func addresses() throws(NetlinkError) -> [InterfaceAddress]
    /// Returns all policy rules of both families, in the order of priority.
    mutating func rules() throws(NetlinkError) -> [RoutingRule]
    /// Returns the default routes of one table. A table that does not exist has none.
    ///
    /// If a table is too long to read, those over `interfaces` are looked up one by one.
    mutating func defaultRoutes(
        _ family: AddressFamily,
        table: UInt32,
        over interfaces: () -> [UInt32]
    ) throws(NetlinkError) -> [Route]
    /// Returns the states of these routers' neighbour entries.
    mutating func states(of routers: Set<Router>) throws(NetlinkError) -> [Router: NeighbourState]
    /// Returns the time until the first expiry among the routes read since the last call, if any has a lifetime.
    mutating func takeShortestLifetime() -> Duration?
    /// Returns whether one of the default routes read since the last call has expired; it is not among them.
    mutating func takeHasExpired() -> Bool
    /// Returns the kernel's answers, in the order of the questions.
    mutating func lookups(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup]
    /// Returns the outcomes alone, without the deciding table entries: half the work of ``lookups(_:)``.
    mutating func outcomes(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup.Outcome]
    /// Returns the source address that connect(2) selects, bound to an interface or, for 0, not. Nothing is sent.
    mutating func connectedSource(to destination: IPAddress, over interface: UInt32) -> ConnectedSource
    /// Returns the Ethernet interface of each PPPoE session, by name.
    mutating func sessionInterfaces() -> [String]
}

/// One question for the kernel's route lookup.
struct LookupQuestion: Sendable, Hashable {
    let destination: IPAddress
    /// The firewall mark of the packet; 0 for none.
    var mark: UInt32 = 0
    /// The source address of the packet; `nil` lets the kernel select it.
    var source: IPAddress?
    /// The interface to which the packet is bound; 0 for none.
    var interface: UInt32 = 0
    /// The packet's protocol, on which policy rules and the choice among several legs may depend; `nil` for TCP in IPv4,
    /// and none in IPv6.
    var transport: Transport?
    /// The port that the packet is sent to, on which policy rules may depend; `nil` for none.
    var port: UInt16?

    /// A protocol above IP, by its number.
    enum Transport: UInt8, Sendable {
        case tcp = 6
        case udp = 17
    }
}

extension KernelQueries {
    mutating func outcomes(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup.Outcome] {
        try lookups(questions).map(\.outcome)
    }

    /// Returns whether the machine has an address, on an interface or by a local route; `nil` if the lookup failed.
    mutating func deliversLocally(_ address: IPAddress) throws(NetlinkError) -> Bool? {
        switch try lookups([LookupQuestion(destination: address)]).first?.outcome {
        case .route(let route): return route.type == .local
        case .refused(.failed), nil: return nil
        case .refused: return false
        }
    }

    /// The maximum number of attempts at a dump during which the tables change.
    private static var dumpAttempts: Int { 8 }

    /// Repeats a dump when the kernel reports that it may be incomplete.
    mutating func retryingInterrupted<Result>(
        _ interrupted: inout UInt64,
        _ dump: (inout Self) throws(NetlinkError) -> Result
    ) throws(NetlinkError) -> Result {
        for _ in 1..<Self.dumpAttempts {
            do throws(NetlinkError) {
                return try dump(&self)
            } catch {
                guard error.cause == .dumpInterrupted else { throw error }
                interrupted += 1
            }
        }
        return try dump(&self)
    }
}

/// The result of connect(2) on an IPv6 datagram socket, which sends nothing.
enum ConnectedSource: Sendable, Hashable {
    /// The source address that the kernel selects.
    case address(IPAddress)
    /// The error of connect(2), after the kernel has selected a source for a destination without a route.
    case refused(RouteLookup.Refusal)
    /// No result, because no socket was available, or it could not be bound.
    case unknown

    /// Connects a socket, bound to an interface or, for 0, not.
    init(to destination: IPAddress, over interface: UInt32 = 0) {
        self = .unknown
        guard destination.family == .ipv6 else { return }
        let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if interface != 0 {
            var index = Int32(bitPattern: interface)
            let size = socklen_t(MemoryLayout<Int32>.size)
            // Since Linux 5.7 without a capability.
            guard setsockopt(descriptor, SOL_SOCKET, SO_BINDTOIFINDEX, &index, size) == 0 else { return }
        }
        var peer = sockaddr_in6()
        peer.sin6_family = sa_family_t(AF_INET6)
        peer.sin6_port = in_port_t(9).bigEndian
        withUnsafeMutableBytes(of: &peer.sin6_addr) { $0.copyBytes(from: destination.networkBytes) }
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let failure = withUnsafePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size) == 0 ? nil : errno
            }
        }
        if let failure {
            self = .refused(RouteLookup.Refusal(errno: failure))
            return
        }
        var own = sockaddr_in6()
        var length = size
        let isNamed = withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard isNamed, length == size, let address = withUnsafeBytes(of: own.sin6_addr, IPAddress.init(networkBytes:))
        else { return }
        self = .address(address)
    }
}
