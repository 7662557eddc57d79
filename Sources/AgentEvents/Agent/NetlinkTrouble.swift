/// A loss of kernel messages.
public struct NetlinkOverrun: Codable, Sendable, Hashable {
    /// The code of the loss.
    public var code: String
    /// The particulars, for people.
    public var detail: String
    /// The number of datagrams that the kernel dropped, where it says so.
    public var dropped: UInt32
    /// The moment at which the agent noticed.
    public var observed: Timestamp

    /// A loss.
    public init(code: String, detail: String, dropped: UInt32, observed: Timestamp) {
        self.code = code
        self.detail = detail
        self.dropped = dropped
        self.observed = observed
    }
}

/// A resynchronization with the kernel after a loss.
public struct NetlinkResynchronization: Codable, Sendable, Hashable {
    /// The code of the loss.
    public var code: String
    /// The number of dumps that it took.
    public var attempts: Int
    /// The time that it took, in milliseconds.
    public var tookMilliseconds: Int64
    /// The number of differences.
    public var corrections: Int
    /// The first of the differences.
    @List public var corrected: [Correction]
    /// The moment at which it was complete.
    public var observed: Timestamp

    private enum CodingKeys: String, CodingKey {
        case code, attempts
        case tookMilliseconds = "took_ms"
        case corrections, corrected, observed
    }

    /// A resynchronization.
    public init(
        code: String,
        attempts: Int,
        tookMilliseconds: Int64,
        corrections: Int,
        corrected: [Correction],
        observed: Timestamp
    ) {
        self.code = code
        self.attempts = attempts
        self.tookMilliseconds = tookMilliseconds
        self.corrections = corrections
        self.corrected = corrected
        self.observed = observed
    }

    /// A difference between what the agent knew and what the kernel has.
    public struct Correction: Codable, Sendable, Hashable {
        /// The code of the change.
        public var code: String
        /// The interface concerned.
        public var interface: String?
        /// The family concerned.
        public var family: String?
        /// The particulars, for people.
        public var detail: String

        /// A correction.
        public init(code: String, interface: String? = nil, family: String? = nil, detail: String) {
            self.code = code
            self.interface = interface
            self.family = family
            self.detail = detail
        }
    }
}
