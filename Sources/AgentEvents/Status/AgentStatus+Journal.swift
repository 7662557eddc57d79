extension AgentStatus {
    /// The journal.
    public struct Journal: Codable, Sendable, Hashable {
        /// Its directory.
        public var directory: String?
        /// The number of its oldest event; `nil` while it is empty.
        public var oldestSequence: UInt64?
        /// The number of its newest event; `nil` while it is empty.
        public var newestSequence: UInt64?
        /// The number of its files.
        public var segments: Int?
        /// Their total size, in bytes.
        public var bytes: UInt64?
        /// True while the journal cannot be written.
        public var isDegraded: Bool?
        /// The code of the obstacle.
        public var code: String?
        /// The details, for people.
        public var detail: String?
        /// The missing numbers.
        @List public var missing: [Gap]
        /// The sync policy: `always`, `interval` or `never`.
        public var sync: String?
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

        /// Creates a journal.
        public init(
            directory: String,
            oldestSequence: UInt64? = nil,
            newestSequence: UInt64? = nil,
            segments: Int,
            bytes: UInt64,
            isDegraded: Bool,
            code: String? = nil,
            detail: String? = nil,
            missing: [Gap],
            sync: String,
            syncMilliseconds: Int64? = nil
        ) {
            self.directory = directory
            self.oldestSequence = oldestSequence
            self.newestSequence = newestSequence
            self.segments = segments
            self.bytes = bytes
            self.isDegraded = isDegraded
            self.code = code
            self.detail = detail
            self.missing = missing
            self.sync = sync
            self.syncMilliseconds = syncMilliseconds
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

            /// Creates a gap.
            public init(firstSequence: UInt64, lastSequence: UInt64) {
                self.firstSequence = firstSequence
                self.lastSequence = lastSequence
            }
        }
    }
}
