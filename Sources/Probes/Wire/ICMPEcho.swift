package import CheckResults
package import EventLoopExecutor

/// One ICMP echo request to one address, sent without privileges (icmp(7)).
package struct ICMPEcho: Sendable, Hashable {
    /// The reply to a request.
    package struct Reply: Sendable, Hashable, CustomStringConvertible {
        /// The source address of the reply.
        package var address: String
        /// The source address of the request, if known.
        package var localAddress: WireEndpoint?
        /// The time from the request to the reply.
        package var roundTrip: Duration
        /// The received TTL or hop limit of the reply, if the kernel reports it.
        package var hopLimit: Int?
        /// The size of the ICMP message, in bytes.
        package var size: Int

        package var description: String {
            "\(size) bytes from \(address)" + (hopLimit.map { ", \($0) hops left" } ?? "")
        }
    }

    /// The result of an echo request.
    package struct Outcome: Sendable {
        /// The reply; nil when none arrived.
        package var reply: Reply?
        /// The reason there was no reply; nil when there was one.
        package var finding: Finding?
    }

    /// The address; its port is ignored.
    package var target: WireEndpoint
    /// The egress interface (SO_BINDTODEVICE); nil for the route's.
    package var interface: String?
    /// The TTL or hop limit of the request; nil for the system's default.
    package var hopLimit: UInt8?
    /// The number of random payload bytes, which identify the reply; 8 to 1024.
    package var payloadSize = 56

    package init(target: WireEndpoint, interface: String? = nil, hopLimit: UInt8? = nil) {
        self.target = target
        self.interface = interface
        self.hopLimit = hopLimit
    }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - gate: The access to the event loop of the exchange, which is never blocked.
    ///   - timeout: The maximum time to wait for the reply.
    ///   - meter: Counts the bytes; it belongs to the event loop.
    ///   - completion: Called once, on the event loop, also after a cancellation.
    package func start(
        on gate: LoopGate,
        timeout: Duration,
        meter: ByteMeter = ByteMeter(),
        completion: @escaping @Sendable (Outcome) -> Void
    ) -> WireExchange {
        let exchange = ICMPExchange(
            echo: self,
            gate: gate,
            timeout: timeout,
            meter: meter,
            completion: completion
        )
        gate.execute { exchange.begin() }
        return WireExchange { gate.execute { exchange.cancel() } }
    }
}
