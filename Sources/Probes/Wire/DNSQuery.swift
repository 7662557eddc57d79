package import CheckResults
package import EventLoopExecutor
internal import ForeignText

/// A query to one name server.
///
/// It is sent over UDP, repeated once after a second (or a third of the timeout, if that is less) without an answer,
/// without EDNS when the server does not know it, and over TCP when the answer is truncated. Datagrams that do not answer
/// this query are ignored.
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
    /// The egress interface (SO_BINDTODEVICE); nil for that of the route.
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
        return WireExchange(
            on: gate,
            onExpiry: { exchange.timeIsUp(after: $0) },
            onCancel: { exchange.cancel() }
        )
    }
}

/// A name server's answer to a query.
package struct DNSReply: Sendable, Hashable {
    /// The transport of the answer.
    package enum Transport: String, Sendable, Hashable {
        case udp
        case tcp
    }

    /// The decoded message.
    package var message: DNSMessage
    /// The server's address and port.
    package var server: WireEndpoint
    /// The local address and port, if known.
    package var localAddress: WireEndpoint?
    /// The transport of the answer: TCP when the datagram was truncated.
    package var transport: Transport
    /// The size of the message, in bytes.
    package var size: Int
    /// The time from the first query to the answer, including a repetition or the switch to TCP.
    package var roundTrip: Duration

    /// The answer section, one line per record in zone file format, including TTLs.
    package var lines: [String] { message.answers.map(\.description) }

    /// The flags that are set, by their usual names: `aa`, `tc`, `ra`, `ad`.
    package var flags: [String] {
        let header = message.header
        let flags = [
            ("aa", header.isAuthoritative), ("tc", header.isTruncated), ("ra", header.isRecursionAvailable),
            ("ad", header.isAuthenticated),
        ]
        return flags.filter(\.1).map(\.0)
    }

    /// The size of the text above which further records are omitted.
    private static let maximumText = 4096

    /// A one-line summary, then one line per record of the answer, and a last line with the number of omitted records.
    package var text: String {
        let words = [message.responseCode.description] + flags + ["\(size) bytes by \(transport.rawValue)"]
        var text = words.joined(separator: " ")
        for (index, record) in message.answers.enumerated() {
            guard text.utf8.count < Self.maximumText else {
                return text + "\n(and \(message.answers.count - index) more records)"
            }
            text += "\n" + ForeignText.shown(record.description, limit: Self.maximumText)
        }
        return text
    }

    /// The maximum number of aliases to follow.
    private static let maximumAliases = 32

    /// Returns the finding for an answer that lacks the requested record at the end of its aliases; nil when it is
    /// there.
    func finding(for question: DNSMessage.Question) -> Finding? {
        let name = question.name.description
        let code = message.responseCode
        guard code == .noError else {
            return Finding(
                code == .noSuchName ? .dnsNXDomain : .dnsRcode,
                subject: name,
                evidence: "\(server) answered \(code) to the query for \(question.type)"
            )
        }
        let isAny = question.type == .any
        // A record of another class answers another question (RFC 1034, section 3.7.1).
        let records = message.answers.filter { $0.recordClass == question.recordClass }
        let answered = Set(records.lazy.filter { isAny || $0.type == question.type }.map(\.name))
        var known: [DNSName: DNSRecord] = [:]
        for record in records where record.type == .cname && known[record.name] == nil {
            known[record.name] = record
        }
        var current = question.name
        var aliases: [String] = []
        while !answered.contains(current) {
            // Each alias is used once, which rules out loops.
            guard aliases.count < Self.maximumAliases, let alias = known.removeValue(forKey: current),
                case .name(let target) = alias.data
            else { break }
            aliases.append("\(alias.name) CNAME \(target)")
            current = target
        }
        if answered.contains(current) { return nil }
        let chain = aliases.joined(separator: ", ")
        return Finding(
            .dnsNoAnswer,
            subject: name,
            evidence: "\(server) answered NOERROR and no \(question.type) record for \(current)"
                + (chain.isEmpty ? "" : ", after \(chain)")
        )
    }
}
