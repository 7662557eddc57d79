internal import Glibc

/// Distinguishes a missing local route from a router's ICMP error: both are the same errno value.
enum LocalRoute {
    /// Returns whether the kernel has a route to an address, through an interface if one is given; nothing is sent.
    ///
    /// connect(2) of a datagram socket only looks the route up.
    static func exists(to target: WireEndpoint, interface: String?) -> Bool {
        let descriptor = socket(target.isIPv6 ? AF_INET6 : AF_INET, SocketType.datagram, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if let interface {
            do { try InterfaceBinding.apply(interface, toSocket: descriptor) } catch { return false }
        }
        return target.isIPv6
            ? withUnsafeBytes(of: target.ipv6(interface: interface)) { canConnect(descriptor, $0) }
            : withUnsafeBytes(of: target.ipv4) { canConnect(descriptor, $0) }
    }

    private static func canConnect(_ descriptor: CInt, _ address: UnsafeRawBufferPointer) -> Bool {
        guard let base = address.baseAddress else { return false }
        return base.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(address.count)) == 0
        }
    }
}
