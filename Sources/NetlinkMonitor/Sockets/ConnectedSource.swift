internal import CLibNL
internal import Glibc

/// The result of connect(2) on an IPv6 datagram socket, which sends nothing.
enum ConnectedSource: Sendable, Hashable {
    /// The source address that it chooses.
    case address(IPAddress)
    /// The error that it fails with, once it has chosen a source for a destination without a route.
    case refused(RouteLookup.Refusal)
    /// Nothing that is known: there was no socket to ask with.
    case unknown

    init(to destination: IPAddress) {
        self = .unknown
        guard destination.family == .ipv6 else { return }
        let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
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
