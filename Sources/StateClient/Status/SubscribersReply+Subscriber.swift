public import EventEnvelope

extension SubscribersReply {
    /// One connection to the agent.
    public struct Subscriber: Decodable, Sendable, Hashable {
        /// The socket: `events` or `control`.
        public let socket: String?
        /// The peer's process when it connected.
        public let processID: Int32?
        /// The peer's user when it connected.
        public let userID: UInt32?
        /// The peer's group when it connected.
        public let groupID: UInt32?
        /// The name of the peer's process.
        public let command: String?
        /// When it connected.
        public let connected: Timestamp?
        /// What it does: `opening`, `replaying`, `live`, `idle` or `lagged`.
        public let state: String?
        /// The types that it asked for; empty for all.
        public let types: [String]
        /// The subjects that it asked for; empty for all.
        public let subjects: [String]
        /// The number of the next event for it; `nil` while it has not subscribed.
        public let nextSequence: UInt64?
        /// How many events there are that it was not sent yet.
        public let lag: UInt64?
        /// How many lines it was sent.
        public let lines: UInt64?
        /// How many bytes it was sent.
        public let bytes: UInt64?

        private enum CodingKeys: String, CodingKey {
            case socket, command, connected, state, types, subjects, lag, lines, bytes
            case processID = "pid"
            case userID = "uid"
            case groupID = "gid"
            case nextSequence = "next_seq"
        }

        /// Reads a connection.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            socket = members.value(.socket)
            processID = members.value(.processID)
            userID = members.value(.userID)
            groupID = members.value(.groupID)
            command = members.value(.command)
            connected = members.timestamp(.connected)
            state = members.value(.state)
            types = members.list(.types)
            subjects = members.list(.subjects)
            nextSequence = members.value(.nextSequence)
            lag = members.value(.lag)
            lines = members.value(.lines)
            bytes = members.value(.bytes)
        }
    }
}
