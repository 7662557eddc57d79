internal import CLibNL
internal import Glibc

/// The source address that connect(2) chooses: asked with a datagram socket, which sends nothing.
enum ConnectedSource {
    static func address(to destination: IPAddress) -> IPAddress? {
        guard destination.family == .ipv6 else { return nil }
        let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var peer = sockaddr_in6()
        peer.sin6_family = sa_family_t(AF_INET6)
        peer.sin6_port = in_port_t(9).bigEndian
        withUnsafeMutableBytes(of: &peer.sin6_addr) { $0.copyBytes(from: destination.networkBytes) }
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isConnected = withUnsafePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
        guard isConnected else { return nil }
        var own = sockaddr_in6()
        var length = size
        let isNamed = withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard isNamed, length == size else { return nil }
        return withUnsafeBytes(of: own.sin6_addr) { IPAddress(networkBytes: $0) }
    }
}
