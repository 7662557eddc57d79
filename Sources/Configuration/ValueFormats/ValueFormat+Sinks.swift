internal import AgentEvents
internal import ForeignText
internal import Sinks

extension ValueFormat where Value == BrokerAddress {
    /// The URL of a broker, without credentials.
    static var brokerAddress: ValueFormat {
        .parsed(
            wanted: "a string such as \"tls://nats.example.org\"",
            maxBytes: 2048,
            text: { TOMLText.quoted($0.description) }
        ) { string in
            try BrokerAddress(string)
        }
    }
}

extension ValueFormat where Value == String {
    /// The directory of the credentials of the sinks' service, which only that service can read.
    static var sinkCredentials: String { "/run/credentials/reachagent-sink.service" }

    /// The path of a file that `reachagent-sink` reads; `credential:NAME` is a credential of its service.
    static var sinkPath: ValueFormat { path(credentials: { CredentialDirectory(path: sinkCredentials) }) }

    /// The name of a device: one token of a subject, or one level of a topic.
    static var deviceName: ValueFormat {
        .parsed(wanted: "a name in quotes", maxBytes: maxWordBytes, text: TOMLText.quoted) { name in
            guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(TOMLKey.isBare) else {
                throw ValueError(message: "'\(name)' is not a name of 1 to 64 letters, digits, '-' and '_'")
            }
            return name
        }
    }

    /// The name of a JetStream stream.
    static var streamName: ValueFormat {
        .parsed(wanted: "the name of a stream in quotes", maxBytes: maxWordBytes, text: TOMLText.quoted) { name in
            let isName = name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !".*>/\\".utf8.contains($0) }
            guard (1...255).contains(name.utf8.count), isName else {
                throw ValueError(
                    message: "'\(name)' is not the name of a stream: no spaces, '.', '*', '>', '/' and '\\'"
                )
            }
            return name
        }
    }

    /// The prefix of a topic: levels without wildcards.
    static var topicPrefix: ValueFormat {
        .parsed(wanted: "the beginning of a topic in quotes", maxBytes: maxWordBytes, text: TOMLText.quoted) { prefix in
            let levels = prefix.split(separator: "/", omittingEmptySubsequences: false)
            let isTopic = prefix.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"+#".utf8.contains($0) }
            guard isTopic, levels.allSatisfy({ !$0.isEmpty }), !prefix.hasPrefix("$") else {
                throw ValueError(message: "'\(prefix)' is not the beginning of a topic, such as homeassistant")
            }
            return prefix
        }
    }

    /// Returns the format for the subject or topic of an event, with placeholders.
    static func template(_ syntax: SubjectTemplate.Syntax) -> ValueFormat {
        .parsed(
            wanted: "a string such as \"reachagent\(syntax.separator)<device>\(syntax.separator)<type>\"",
            maxBytes: maxWordBytes,
            text: TOMLText.quoted
        ) { string in
            _ = try SubjectTemplate(string, syntax: syntax)
            return string
        }
    }

    /// A shipped event type, or the prefix of several, without the common prefix.
    static var shippedType: ValueFormat {
        .parsed(
            wanted: "a type of event such as \"reachability.changed\"",
            maxBytes: maxWordBytes,
            text: TOMLText.quoted
        ) { string in
            let types = EventType.allCases.filter { $0.isNumbered && $0 != .eventsOmitted }
            let short = EventType.shortName(of: string)
            guard EventType.matching(short).contains(where: types.contains) else {
                if EventType.matching(short).isEmpty,
                    let word = KeySuggestion.nearest(to: short, among: types.map(\.shortName))
                {
                    throw ValueError(message: "'\(string)' is not a type of event; did you mean '\(word)'?")
                }
                throw ValueError(
                    message:
                        "'\(string)' matches no event of the journal; accepted are types such as path.changed, and path.*"
                )
            }
            return short
        }
    }
}
