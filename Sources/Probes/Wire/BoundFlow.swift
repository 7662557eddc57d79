internal import CheckResults
internal import Glibc

/// The IPv4 packets of a socket that is bound to an interface, and those that answer them.
struct BoundFlow {
    /// The interface's name; the check may be bound by an alternative one.
    let name: String
    let output: RouteQuestion
    let input: RouteQuestion
    /// The interface's flags (netdevice(7)); nil if they cannot be read.
    private let flags: CInt?

    init?(of descriptor: CInt, over interface: String, to target: WireEndpoint, by transport: WireTransport) {
        let index = if_nametoindex(interface)
        var bytes = [CChar](repeating: 0, count: Int(IFNAMSIZ))
        guard index > 0, if_indextoname(index, &bytes) != nil,
            let source = SocketCalls.localAddress(of: descriptor)?.address.bytes
        else { return nil }
        name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        output = RouteQuestion(.output, index, from: source, to: target.bytes, by: transport, farPort: target.port)
        input = RouteQuestion(.input, index, from: target.bytes, to: source, by: transport, farPort: target.port)
        flags = Self.flags(of: bytes, descriptor)
    }

    private static func flags(of name: [CChar], _ descriptor: CInt) -> CInt? {
        var request = ifreq()
        withUnsafeMutableBytes(of: &request.ifr_ifrn) { field in
            name.withUnsafeBytes { field.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(field.count))) }
        }
        guard ioctl(descriptor, UInt(SIOCGIFFLAGS), &request) == 0 else { return nil }
        return CInt(UInt16(bitPattern: request.ifr_ifru.ifru_flags))
    }

    /// Returns whether the kernel takes the far end for a neighbour on the link, in vain, because no table has a route.
    func isAssumed(_ answer: RouteAnswer?) -> Bool { Self.isAssumed(answer, flags: flags) }

    /// Returns whether the answer is a route that the kernel assumes on a link with the flags.
    ///
    /// A link without ARP (PPP, WWAN, WireGuard) solicits nothing: the packets leave over it also without a route.
    /// Kernels that do not tell the table name the main one (before 4.4).
    static func isAssumed(_ answer: RouteAnswer?, flags: CInt?) -> Bool {
        guard answer == .route(type: 1, table: 0), let flags else { return false }
        return flags & CInt(IFF_NOARP | IFF_POINTOPOINT) == 0
    }

    /// Returns the mode of the reverse path filter that discards the answers; nil if it does not.
    ///
    /// The kernel refuses to route them: with EXDEV, and since 6.14 with EINVAL, as other packets from nowhere.
    func reversePathFilter(_ answer: RouteAnswer?) -> Int? {
        guard answer == .refused(EXDEV) || answer == .refused(EINVAL) else { return nil }
        return ReversePathFilter.mode(of: name)
    }
}
