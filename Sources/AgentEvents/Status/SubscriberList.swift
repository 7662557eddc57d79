/// The connections to an agent: the reply to `subscribers`.
///
/// A missing member, or one of another type, is `nil` or empty, as ``init(line:)`` and `StateClient` read it; other
/// decoders throw an error for the latter. Text is unescaped: escape it before showing it on a
/// terminal. docs/protocol.md describes the members.
public struct SubscriberList: Codable, Sendable, Hashable {
    /// The maximum number of connections.
    public var limit: Int?
    /// The connections, oldest first, including the requesting one.
    @List public var subscribers: [Subscriber]
    /// The number of connections that were omitted from the reply; `nil` where there are none.
    public var subscribersOmitted: Int?

    /// A connection to the agent.
    public struct Subscriber: Codable, Sendable, Hashable {
        /// The socket: `events`, `control` or `http`.
        public var socket: String?
        /// The process of the peer when it connected.
        public var processID: Int32?
        /// The user of the peer when it connected.
        public var userID: UInt32?
        /// The group of the peer when it connected.
        public var groupID: UInt32?
        /// The name of the process.
        public var command: String?
        /// The address of a client on another machine.
        public var address: String?
        /// The moment at which it connected, on the clock as it is set now.
        public var connected: Timestamp?
        /// `opening`, `replaying`, `live`, `idle` or `lagged`.
        public var state: String?
        /// The requested event types; empty for all.
        @OptionalList public var types: [String]
        /// The number of types that were omitted; `nil` where there are none.
        public var typesOmitted: Int?
        /// The requested subjects, cut; empty for all.
        @OptionalList public var subjects: [String]
        /// The number of subjects that were omitted; `nil` where there are none.
        public var subjectsOmitted: Int?
        /// The number of its next event; `nil` before it subscribes.
        public var nextSequence: UInt64?
        /// The number of events that have not been sent to it yet.
        public var lag: UInt64?
        /// The number of unnumbered events that were dropped because it was too slow; `nil` if it requests none.
        public var dropped: UInt64?
        /// The number of lines sent to it.
        public var lines: UInt64?
        /// The number of bytes sent to it.
        public var bytes: UInt64?

        private enum CodingKeys: String, CodingKey {
            case socket
            case processID = "pid"
            case userID = "uid"
            case groupID = "gid"
            case command, address, connected, state, types
            case typesOmitted = "types_omitted"
            case subjects
            case subjectsOmitted = "subjects_omitted"
            case nextSequence = "next_seq"
            case lag, dropped, lines, bytes
        }
    }

    private enum CodingKeys: String, CodingKey {
        case limit, subscribers
        case subscribersOmitted = "subscribers_omitted"
    }
}

extension SubscriberList {
    /// Reads a list from the output of `reachagent subscribers --json`, which is the `parameters` of the reply.
    ///
    /// - Parameter line: The line, with or without its newline.
    /// - Returns: `nil` if the line is longer than ``ScannedLine/maximumBytes``, or is not one well-formed JSON object.
    public init?(line: [UInt8]) {
        guard let list = EventDecoder.value(SubscriberList.self, of: line) else { return nil }
        self = list
    }
}
