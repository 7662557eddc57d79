internal import CheckResults
internal import Glibc

/// The kernel's route for the packets of one check to one address; finding it sends nothing.
///
/// A missing local route and a router's ICMP error are the same errno value. And IPv4 never lacks a route for a socket
/// that is bound to an interface: where none matches, or one that rejects packets, the kernel takes the address for a
/// neighbour on that interface's link. It solicits it there in vain, or, on a link without ARP, sends the packets.
struct LocalRoute {
    /// The lookup result.
    enum State {
        /// Packets leave.
        case accepted
        /// Packets wait for a neighbour that is none, because no table has a route: EHOSTUNREACH, and no other error.
        case assumed
        /// No route, or one that rejects packets.
        case refused
        /// The lookup failed for another reason.
        case unknown
    }

    private enum Connection {
        case refused
        case unknown
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

    /// The kernel's lookup, through the interface if there is one.
    var state: State {
        switch connection {
        case .refused: .refused
        case .unknown: .unknown
        case .connected: .accepted
        case .bound(let flow): flow.isAssumed(RouteQuestion.answers(to: [flow.output])[0]) ? .assumed : .accepted
        }
    }

    /// `true` if the kernel's tables certainly have no route.
    var isMissing: Bool { [.refused, .assumed].contains(state) }

    /// Returns whether an errno value of connect(2) is an answer of the routing tables, not a lack of ports or memory.
    static func isRefusal(_ error: CInt) -> Bool {
        // A route of type blackhole fails with EINVAL, one of type prohibit with EACCES.
        [ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL].contains(error)
    }

    /// The reason on this machine for which a check gets no answer; nil if there is none, or it is not certain.
    ///
    /// At most one request to the routing tables, and only for a bound check in IPv4.
    var silence: Finding? {
        guard interface != nil, !target.isIPv6, case .bound(let flow) = connection else { return nil }
        let answers = RouteQuestion.answers(to: [flow.output, flow.input])
        if flow.isAssumed(answers[0]) {
            let evidence = "no route over \(flow.name) matches: the kernel takes the address for a neighbour's"
            return Finding(.noRoute, subject: target.description, evidence: evidence)
        }
        // The kernel takes no packet from another machine whose source is an address of this one, without any filter.
        guard case .route(type: 1, _) = answers[0], let mode = flow.reversePathFilter(answers[1]),
            !LocalInterfaces.shared.contain(target.bytes)
        else { return nil }
        return Finding(
            .reversePathFilter,
            subject: target.description,
            evidence: "rp_filter of \(flow.name) is \(mode), and the route to \(target.addressText) is not over it"
        )
    }

    /// connect(2) of a datagram socket looks the route up, a second time with the source that it has selected.
    private var connection: Connection {
        let descriptor = socket(target.isIPv6 ? AF_INET6 : AF_INET, SocketType.datagram, 0)
        guard descriptor >= 0 else { return .unknown }
        defer { close(descriptor) }
        if let interface {
            do { try InterfaceBinding.apply(interface, toSocket: descriptor) } catch { return .unknown }
        }
        if let error = SocketCalls.connect(descriptor, to: target, interface: interface) {
            return Self.isRefusal(error) ? .refused : .unknown
        }
        guard let interface, !target.isIPv6 else { return .connected }
        return BoundFlow(of: descriptor, over: interface, to: target, by: transport).map(Connection.bound) ?? .connected
    }
}
