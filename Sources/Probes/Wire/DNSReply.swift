/// A name server's answer to a query.
package struct DNSReply: Sendable, Hashable {
    /// How the answer came.
    package enum Transport: String, Sendable, Hashable {
        case udp
        case tcp
    }

    /// The decoded message.
    package var message: DNSMessage
    /// The server's address and port.
    package var server: WireEndpoint
    /// The local address and port, where it is known.
    package var localAddress: WireEndpoint?
    /// How the answer came: by TCP when the datagram said that it was truncated.
    package var transport: Transport
    /// The number of bytes of the message.
    package var size: Int
    /// From the first query to the answer, a repetition or a change to TCP included.
    package var roundTrip: Duration

    /// The answer section, one line per record in the form of zone files, with the times to live.
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

    /// Everything in one line, then one line per record of the answer.
    package var text: String {
        let words = [message.responseCode.description] + flags + ["\(size) bytes by \(transport.rawValue)"]
        return ([words.joined(separator: " ")] + lines).joined(separator: "\n")
    }

    /// How many aliases are followed; each costs a look at every record, of which a message can hold thousands.
    private static let maximumAliases = 32

    /// What the answer lacks for its question; nil when it has a record of the wanted type at the end of its aliases.
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
        var current = question.name
        var aliases: [DNSRecord] = []
        // Each alias is used once, so a loop of them ends.
        var rest = message.answers
        while true {
            if message.answers.contains(where: { $0.name == current && $0.type == question.type }) { return nil }
            guard aliases.count < Self.maximumAliases,
                let index = rest.firstIndex(where: { $0.name == current && $0.type == .cname }),
                case .name(let target) = rest[index].data
            else { break }
            aliases.append(rest.remove(at: index))
            current = target
        }
        let chain = aliases.map { "\($0.name) CNAME \($0.data)" }.joined(separator: ", ")
        return Finding(
            .dnsNoAnswer,
            subject: name,
            evidence: "\(server) answered NOERROR and no \(question.type) record for \(current)"
                + (chain.isEmpty ? "" : ", after \(chain)")
        )
    }
}
