package import NIOCore

/// One ICMP echo request to one address, sent without privileges (icmp(7)).
package struct ICMPEcho: Sendable, Hashable {
    /// The reply to a request.
    package struct Reply: Sendable, Hashable, CustomStringConvertible {
        /// The address that replied.
        package var address: String
        /// The address that the request was sent from, where it is known.
        package var localAddress: WireEndpoint?
        /// From the request to the reply.
        package var roundTrip: Duration
        /// The reply's time to live or hop limit as it arrived, where the kernel tells it.
        package var hopLimit: Int?
        /// The number of bytes of the ICMP message.
        package var size: Int

        package var description: String {
            "\(size) bytes from \(address)" + (hopLimit.map { ", \($0) hops left" } ?? "")
        }
    }

    /// What an echo came to.
    package struct Outcome: Sendable {
        /// The reply; nil when none came.
        package var reply: Reply?
        /// Why there was no reply; nil when there was one.
        package var finding: Finding?
    }

    /// The address; its port does not matter.
    package var target: WireEndpoint
    /// The interface that everything is sent through (SO_BINDTODEVICE); nil for the route's.
    package var interface: String?
    /// The request's time to live or hop limit; nil for the system's.
    package var hopLimit: UInt8?
    /// How many random bytes the request carries, by which its reply is known; 8 to 1024.
    package var payloadSize = 56

    package init(target: WireEndpoint, interface: String? = nil, hopLimit: UInt8? = nil) {
        self.target = target
        self.interface = interface
        self.hopLimit = hopLimit
    }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - eventLoop: Where everything happens; nothing blocks it.
    ///   - timeout: How long to wait for the reply.
    ///   - meter: What counts the bytes; it belongs to the event loop.
    ///   - completion: Called once, on the event loop, also after a cancellation.
    package func start(
        on eventLoop: any EventLoop,
        timeout: Duration,
        meter: ByteMeter = ByteMeter(),
        completion: @escaping @Sendable (Outcome) -> Void
    ) -> WireExchange {
        let exchange = ICMPExchange(
            echo: self,
            eventLoop: eventLoop,
            timeout: timeout,
            meter: meter,
            completion: completion
        )
        eventLoop.execute { exchange.begin() }
        return WireExchange { eventLoop.execute { exchange.cancel() } }
    }
}
