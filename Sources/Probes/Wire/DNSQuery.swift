package import CheckResults
package import EventLoopExecutor

/// A query to one name server.
///
/// It is sent over UDP, repeated once after a second (or a third of the timeout, if that is less) without an answer,
/// and repeated over TCP when the answer is truncated. Datagrams that do not answer this query are ignored.
package struct DNSQuery: Sendable, Hashable {
    /// The result of a query.
    package struct Outcome: Sendable {
        /// The answer, including an error response; nil when none arrived.
        package var reply: DNSReply?
        /// The reason the query failed; nil when the requested record was found.
        package var finding: Finding?
    }

    /// The name server.
    package var server: WireEndpoint
    /// The question.
    package var question: DNSMessage.Question
    /// The egress interface (SO_BINDTODEVICE); nil for the route's.
    package var interface: String?

    package init(server: WireEndpoint, question: DNSMessage.Question, interface: String? = nil) {
        self.server = server
        self.question = question
        self.interface = interface
    }

    /// Sends the query.
    ///
    /// - Parameters:
    ///   - gate: The access to the event loop of the exchange, which is never blocked.
    ///   - timeout: The timeout of the whole query.
    ///   - meter: Counts the bytes; it belongs to the event loop.
    ///   - completion: Called once, on the event loop, also after a cancellation.
    package func start(
        on gate: LoopGate,
        timeout: Duration,
        meter: ByteMeter = ByteMeter(),
        completion: @escaping @Sendable (Outcome) -> Void
    ) -> WireExchange {
        let exchange = DNSExchange(
            query: self,
            gate: gate,
            timeout: timeout,
            meter: meter,
            completion: completion
        )
        gate.execute { exchange.begin() }
        return WireExchange { gate.execute { exchange.cancel() } }
    }
}
