/// The connections to an agent: the reply to `subscribers`.
///
/// Members that are missing, or of another type, are `nil` or empty. Text is as the agent sent it: escape it before a terminal shows
/// it. docs/protocol.md describes the members.
public struct SubscriberList: Codable, Sendable, Hashable {
    /// The maximum of connections.
    public var limit: Int?
    /// The connections, the oldest first, with the one that asked.
    @List public var subscribers: [Subscriber]

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
        /// The moment at which it connected.
        public var connected: Timestamp?
        /// `opening`, `replaying`, `live`, `idle` or `lagged`.
        public var state: String?
        /// The types of event that it asked for; empty for all.
        @OptionalList public var types: [String]
        /// The subjects that it asked for; empty for all.
        @OptionalList public var subjects: [String]
        /// The number of the next event for it; `nil` while it has not subscribed.
        public var nextSequence: UInt64?
        /// The number of events that it was not sent yet.
        public var lag: UInt64?
        /// The number of unnumbered events that it did not get because it was too slow; `nil` where it asks for none.
        public var dropped: UInt64?
        /// The number of lines that it was sent.
        public var lines: UInt64?
        /// The number of bytes that it was sent.
        public var bytes: UInt64?

        private enum CodingKeys: String, CodingKey {
            case socket
            case processID = "pid"
            case userID = "uid"
            case groupID = "gid"
            case command, address, connected, state, types, subjects
            case nextSequence = "next_seq"
            case lag, dropped, lines, bytes
        }
    }
}
