public import EventEnvelope

/// How the journal fares.
public struct JournalSummary: Sendable, Hashable {
    /// Why events are not kept.
    public struct Trouble: Sendable, Hashable {
        /// A code in snake_case.
        public var code: String
        /// The particulars, for people.
        public var detail: String?

        /// A trouble.
        public init(code: String, detail: String? = nil) {
            self.code = code
            self.detail = detail
        }
    }

    /// When what was written is forced onto the disk.
    public enum Sync: Sendable, Hashable {
        /// Before anybody sees it.
        case always
        /// At most this long after it was written.
        case interval(Duration)
        /// When the kernel sees fit.
        case never
    }

    /// Where it is.
    public var directory: String
    /// The number of its oldest event; `nil` while it is empty.
    public var oldestSequence: UInt64?
    /// The number of its newest event; `nil` while it is empty.
    public var newestSequence: UInt64?
    /// How many files it consists of.
    public var segments: Int
    /// How many bytes they have together.
    public var bytes: UInt64
    /// Why events are not kept at the moment; `nil` when they are.
    public var trouble: Trouble?
    /// The numbers that were given to events and are not in it, in ascending order.
    public var missing: [ClosedRange<UInt64>]
    /// When what was written is forced onto the disk.
    public var sync: Sync

    /// A journal.
    public init(
        directory: String,
        oldestSequence: UInt64? = nil,
        newestSequence: UInt64? = nil,
        segments: Int = 0,
        bytes: UInt64 = 0,
        trouble: Trouble? = nil,
        missing: [ClosedRange<UInt64>] = [],
        sync: Sync = .interval(.seconds(1))
    ) {
        self.directory = directory
        self.oldestSequence = oldestSequence
        self.newestSequence = newestSequence
        self.segments = segments
        self.bytes = bytes
        self.trouble = trouble
        self.missing = missing
        self.sync = sync
    }
}

/// Where the sockets are, and how many use them.
public struct SocketSummary: Sendable, Hashable {
    /// The path of the socket to read from.
    public var events: String
    /// The path of the socket to ask at.
    public var control: String
    /// How many connections there are, both sockets together.
    public var connections: Int
    /// The most connections that there may be.
    public var limit: Int

    /// The sockets.
    public init(events: String, control: String, connections: Int, limit: Int) {
        self.events = events
        self.control = control
        self.connections = connections
        self.limit = limit
    }
}

/// How often messages of the kernel's were lost since the agent was started.
public struct OverrunSummary: Sendable, Hashable {
    /// How many times.
    public private(set) var count: UInt64 = 0
    /// How many datagrams the kernel said it dropped.
    public private(set) var dropped: UInt64 = 0
    /// The code of the last loss.
    public private(set) var code: String?
    /// When the last loss was noticed.
    public private(set) var last: Timestamp?

    /// No loss.
    public init() {}

    /// Counts a loss.
    public mutating func count(code: String, dropped: UInt32, at time: Timestamp) {
        count &+= 1
        self.dropped &+= UInt64(dropped)
        self.code = code
        last = time
    }
}
