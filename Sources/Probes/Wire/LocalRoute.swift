internal import CheckResults
internal import Glibc

/// The kernel's route for the packets of one check to one address; finding it sends nothing.
///
/// A missing local route and a router's ICMP error are the same errno value. And IPv4 never lacks a route for a socket
/// that is bound to an interface: where none matches, or one that rejects packets, the kernel takes the address for a
/// neighbour on that interface's link, and solicits it there in vain.
struct LocalRoute {
    private enum Connection {
        case refused
        /// A connected socket about which the kernel's tables know no more: not bound, or of IPv6.
        case connected
        case bound(BoundFlow)
    }

    let target: WireEndpoint
    /// The interface that the check is bound to, if any.
    let interface: String?
    let transport: WireTransport

    /// Creates the route to an address.
    init(to target: WireEndpoint, over interface: String?, by transport: WireTransport) {
        self.target = target
        self.interface = interface
        self.transport = transport
    }

    /// `true` if the kernel's tables have a route, through the interface if there is one.
    var exists: Bool {
        switch connection {
        case .refused: false
        case .connected: true
        case .bound(let flow): !BoundFlow.isAssumed(RouteQuestion.answers(to: [flow.output])[0])
        }
    }

    /// The reason on this machine for which a check gets no answer; nil if there is none, or it is not certain.
    ///
    /// At most one request to the kernel, and only for a bound check in IPv4.
    var silence: Finding? {
        guard interface != nil, !target.isIPv6, case .bound(let flow) = connection else { return nil }
        let answers = RouteQuestion.answers(to: [flow.output, flow.input])
        if BoundFlow.isAssumed(answers[0]) {
            let evidence = "no route over \(flow.name) matches: the kernel takes the address for a neighbour's"
            return Finding(.noRoute, subject: target.description, evidence: evidence)
        }
        guard case .route = answers[0], let mode = flow.reversePathFilter(answers[1]) else { return nil }
        return Finding(
            .reversePathFilter,
            subject: target.description,
            evidence: "rp_filter of \(flow.name) is \(mode), and the route to \(target.addressText) is not over it"
        )
    }

    /// connect(2) of a datagram socket looks the route up, a second time with the source that it has selected.
    private var connection: Connection {
        let descriptor = socket(target.isIPv6 ? AF_INET6 : AF_INET, SocketType.datagram, 0)
        guard descriptor >= 0 else { return .refused }
        defer { close(descriptor) }
        if let interface {
            do { try InterfaceBinding.apply(interface, toSocket: descriptor) } catch { return .refused }
        }
        let isConnected =
            target.isIPv6
            ? withUnsafeBytes(of: target.ipv6(interface: interface)) { Self.connect(descriptor, $0) }
            : withUnsafeBytes(of: target.ipv4) { Self.connect(descriptor, $0) }
        guard isConnected else { return .refused }
        guard let interface, !target.isIPv6 else { return .connected }
        return BoundFlow(of: descriptor, over: interface, to: target, by: transport).map(Connection.bound) ?? .connected
    }

    private static func connect(_ descriptor: CInt, _ address: UnsafeRawBufferPointer) -> Bool {
        guard let base = address.baseAddress else { return false }
        return base.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(descriptor, $0, socklen_t(address.count)) == 0
        }
    }
}

/// The IPv4 packets of a socket that is bound to an interface, and those that answer them.
private struct BoundFlow {
    /// The interface's name; the check may be bound by an alternative one.
    let name: String
    let output: RouteQuestion
    let input: RouteQuestion

    init?(of descriptor: CInt, over interface: String, to target: WireEndpoint, by transport: WireTransport) {
        let index = if_nametoindex(interface)
        var bytes = [CChar](repeating: 0, count: Int(IFNAMSIZ))
        guard index > 0, if_indextoname(index, &bytes) != nil, let source = Self.source(descriptor) else { return nil }
        name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        output = RouteQuestion(.output, index, from: source, to: target.bytes, by: transport, farPort: target.port)
        input = RouteQuestion(.input, index, from: target.bytes, to: source, by: transport, farPort: target.port)
    }

    private static func source(_ descriptor: CInt) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { storage in
            var length = socklen_t(storage.count)
            guard let base = storage.baseAddress,
                getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            return HostAddress(socketAddress: UnsafeRawBufferPointer(rebasing: storage.prefix(Int(clamping: length))))?
                .bytes
        }
    }

    /// Returns whether no table has the route; kernels that do not tell the table name the main one (before 4.4).
    static func isAssumed(_ answer: RouteAnswer?) -> Bool { answer == .route(type: 1, table: 0) }

    /// Returns the mode of the reverse path filter that discards the answers; nil if it does not.
    ///
    /// The kernel refuses to route them: with EXDEV, and since 6.14 with EINVAL, as other packets from nowhere.
    func reversePathFilter(_ answer: RouteAnswer?) -> Int? {
        guard answer == .refused(EXDEV) || answer == .refused(EINVAL) else { return nil }
        return ReversePathFilter.mode(of: name)
    }
}
