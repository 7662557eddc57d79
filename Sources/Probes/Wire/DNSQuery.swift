package import NIOCore

/// A query to one name server.
///
/// It is sent by UDP, once more after a second (or a third of the time, if that is less) without an answer, and again
/// by TCP when the answer says that it is truncated. Datagrams that are not the answer to this query are ignored.
package struct DNSQuery: Sendable, Hashable {
    /// What a query came to.
    package struct Outcome: Sendable {
        /// The answer, also one that is a refusal; nil when none came.
        package var reply: DNSReply?
        /// Why the query did not succeed; nil when the wanted record is there.
        package var finding: Finding?
    }

    /// The name server.
    package var server: WireEndpoint
    /// What is asked for.
    package var question: DNSMessage.Question
    /// The interface that everything is sent through (SO_BINDTODEVICE); nil for the route's.
    package var interface: String?

    package init(server: WireEndpoint, question: DNSMessage.Question, interface: String? = nil) {
        self.server = server
        self.question = question
        self.interface = interface
    }

    /// Sends the query.
    ///
    /// - Parameters:
    ///   - eventLoop: Where everything happens; nothing blocks it.
    ///   - timeout: How long the query may take altogether.
    ///   - meter: What counts the bytes; it belongs to the event loop.
    ///   - completion: Called once, on the event loop, also after a cancellation.
    package func start(
        on eventLoop: any EventLoop,
        timeout: Duration,
        meter: ByteMeter = ByteMeter(),
        completion: @escaping @Sendable (Outcome) -> Void
    ) -> WireExchange {
        let exchange = DNSExchange(
            query: self,
            eventLoop: eventLoop,
            timeout: timeout,
            meter: meter,
            completion: completion
        )
        eventLoop.execute { exchange.begin() }
        return WireExchange { eventLoop.execute { exchange.cancel() } }
    }
}
