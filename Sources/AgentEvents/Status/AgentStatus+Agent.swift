public import EventEnvelope

extension AgentStatus {
    /// The agent that replies.
    public struct Agent: Codable, Sendable, Hashable {
        /// The agent's version.
        public var version: String
        /// The version of the schema.
        public var schema: Int
        /// The agent's process.
        public var processID: Int32
        /// The moment of its start.
        public var started: Timestamp
        /// The time since then, in milliseconds, by a clock that does not jump.
        public var uptimeMilliseconds: Int64
        /// The kernel's id of this boot of the machine.
        public var bootID: String?
        /// The stream that the numbers belong to.
        public var stream: String

        private enum CodingKeys: String, CodingKey {
            case version, schema
            case processID = "pid"
            case started
            case uptimeMilliseconds = "uptime_ms"
            case bootID = "boot_id"
            case stream
        }
    }

    /// The journal.
    public struct Journal: Codable, Sendable, Hashable {
        /// Its directory.
        public var directory: String
        /// The number of its oldest event; `nil` while it is empty.
        public var oldestSequence: UInt64?
        /// The number of its newest event; `nil` while it is empty.
        public var newestSequence: UInt64?
        /// The number of its files.
        public var segments: Int
        /// The size of them together, in bytes.
        public var bytes: UInt64
        /// True while it cannot be written.
        public var isDegraded: Bool
        /// The code of the obstacle.
        public var code: String?
        /// The particulars, for people.
        public var detail: String?
        /// The numbers that it does not have.
        @List public var missing: [Gap]
        /// The sync policy: `always`, `interval` or `never`.
        public var sync: String
        /// The interval, in milliseconds.
        public var syncMilliseconds: Int64?

        private enum CodingKeys: String, CodingKey {
            case directory
            case oldestSequence = "oldest_seq"
            case newestSequence = "newest_seq"
            case segments, bytes
            case isDegraded = "degraded"
            case code, detail, missing, sync
            case syncMilliseconds = "sync_ms"
        }

        /// Consecutive numbers that are missing.
        public struct Gap: Codable, Sendable, Hashable {
            /// The first of them.
            public var firstSequence: UInt64
            /// The last of them.
            public var lastSequence: UInt64

            private enum CodingKeys: String, CodingKey {
                case firstSequence = "first_seq"
                case lastSequence = "last_seq"
            }
        }
    }

    /// The sockets.
    public struct Sockets: Codable, Sendable, Hashable {
        /// The path of the event socket.
        public var events: String
        /// The path of the control socket.
        public var control: String
        /// The number of connections to both.
        public var connections: Int
        /// The maximum of them.
        public var limit: Int
    }

    /// The losses of kernel messages since the start.
    public struct Overruns: Codable, Sendable, Hashable {
        /// The number of losses.
        public var count: UInt64
        /// The number of datagrams that the kernel dropped, where it says so.
        public var dropped: UInt64
        /// The code of the last loss.
        public var code: String?
        /// The moment at which the last loss was noticed.
        public var last: Timestamp?
    }

    /// The configuration.
    public struct Configuration: Codable, Sendable, Hashable {
        /// The files, the main one first.
        @List public var files: [String]
        /// The moment at which they were last read and valid.
        public var loaded: Timestamp
    }

    /// A settled change.
    public struct Transition: Codable, Sendable, Hashable {
        /// The event's number.
        public var sequence: UInt64
        /// The moment at which it was published.
        public var time: Timestamp
        /// The event's type.
        public var type: String
        /// The subject: `default`, or the name of a target, an uplink or a probe.
        public var subject: String
        /// The state before, in words.
        public var from: String?
        /// The state after, in words.
        public var to: String
        /// The code of the cause.
        public var code: String
        /// The interface concerned.
        public var interface: String?
        /// The family of a probe; `nil` for any.
        public var family: String?
        /// The particulars, for people.
        public var detail: String?

        private enum CodingKeys: String, CodingKey {
            case sequence = "seq"
            case time, type, subject, from, to, code, interface, family, detail
        }
    }
}
