public import EventEnvelope

extension StatusReply {
    /// Who answers.
    public struct Agent: Decodable, Sendable, Hashable {
        /// The agent's version.
        public let version: String?
        /// The version of the events' schema.
        public let schema: Int?
        /// The agent's process.
        public let processID: Int32?
        /// When it was started.
        public let started: Timestamp?
        /// How long it has been running when it answered.
        public let uptime: Duration?
        /// The kernel's name for this boot of the machine.
        public let bootID: String?
        /// The name of the stream that the numbers belong to.
        public let stream: String?

        private enum CodingKeys: String, CodingKey {
            case version, schema, started, stream
            case processID = "pid"
            case uptime = "uptime_ms"
            case bootID = "boot_id"
        }

        /// Reads who answers.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            version = members.value(.version)
            schema = members.value(.schema)
            processID = members.value(.processID)
            started = members.timestamp(.started)
            uptime = members.milliseconds(.uptime)
            bootID = members.value(.bootID)
            stream = members.value(.stream)
        }
    }

    /// How the journal fares.
    public struct Journal: Decodable, Sendable, Hashable {
        /// Where it is.
        public let directory: String?
        /// The number of its oldest event.
        public let oldestSequence: UInt64?
        /// The number of its newest event.
        public let newestSequence: UInt64?
        /// How many files it has.
        public let segments: Int?
        /// How many bytes they have together.
        public let bytes: UInt64?
        /// Whether events are not kept at the moment.
        public let isDegraded: Bool?
        /// Why they are not: a code.
        public let code: String?
        /// Why they are not, for people.
        public let detail: String?
        /// The numbers that are not in it.
        public let missing: [Hole]
        /// When it is forced onto the disk: `always`, `interval` or `never`.
        public let sync: String?
        /// How often, for `interval`.
        public let syncInterval: Duration?

        private enum CodingKeys: String, CodingKey {
            case directory, segments, bytes, code, detail, missing, sync
            case oldestSequence = "oldest_seq"
            case newestSequence = "newest_seq"
            case isDegraded = "degraded"
            case syncInterval = "sync_ms"
        }

        /// Reads how the journal fares.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            directory = members.value(.directory)
            oldestSequence = members.value(.oldestSequence)
            newestSequence = members.value(.newestSequence)
            segments = members.value(.segments)
            bytes = members.value(.bytes)
            isDegraded = members.value(.isDegraded)
            code = members.value(.code)
            detail = members.value(.detail)
            missing = members.list(.missing)
            sync = members.value(.sync)
            syncInterval = members.milliseconds(.syncInterval)
        }
    }

    /// Numbers without events, one after the other.
    public struct Hole: Decodable, Sendable, Hashable {
        /// The first one.
        public let firstSequence: UInt64
        /// The last one.
        public let lastSequence: UInt64

        private enum CodingKeys: String, CodingKey {
            case firstSequence = "first_seq"
            case lastSequence = "last_seq"
        }
    }

    /// Where the sockets are, and how many use them.
    public struct Sockets: Decodable, Sendable, Hashable {
        /// The path of the socket to read from.
        public let events: String?
        /// The path of the socket to ask at.
        public let control: String?
        /// How many connections there are.
        public let connections: Int?
        /// How many there may be.
        public let limit: Int?

        private enum CodingKeys: String, CodingKey { case events, control, connections, limit }

        /// Reads where the sockets are.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            events = members.value(.events)
            control = members.value(.control)
            connections = members.value(.connections)
            limit = members.value(.limit)
        }
    }

    /// How often messages of the kernel's were lost since the agent was started.
    public struct Overruns: Decodable, Sendable, Hashable {
        /// How many times.
        public let count: UInt64?
        /// How many datagrams the kernel said it dropped.
        public let dropped: UInt64?
        /// The code of the last loss.
        public let code: String?
        /// When the last loss was noticed.
        public let last: Timestamp?

        private enum CodingKeys: String, CodingKey { case count, dropped, code, last }

        /// Reads the losses.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            count = members.value(.count)
            dropped = members.value(.dropped)
            code = members.value(.code)
            last = members.timestamp(.last)
        }
    }
}
