/// A loss of kernel messages.
public struct NetlinkOverrun: Codable, Sendable, Hashable {
    /// The code of the loss.
    public var code: String
    /// The details, for people.
    public var detail: String
    /// The number of datagrams that the kernel dropped, if it reports that.
    public var dropped: UInt32
    /// The moment at which the agent noticed.
    public var observed: Timestamp

    /// Creates a loss.
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
    /// The number of dumps that were necessary.
    public var attempts: Int
    /// The duration, in milliseconds.
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

    /// Creates a resynchronization.
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

    /// A difference between the agent's state and the kernel's.
    public struct Correction: Codable, Sendable, Hashable {
        /// The code of the change.
        public var code: String
        /// The interface concerned.
        public var interface: String?
        /// The family concerned.
        public var family: String?
        /// The details, for people.
        public var detail: String

        /// Creates a correction.
        public init(code: String, interface: String? = nil, family: String? = nil, detail: String) {
            self.code = code
            self.interface = interface
            self.family = family
            self.detail = detail
        }
    }
}

/// The end of a subscription whose client was too slow.
public struct SubscriberLagged: Codable, Sendable, Hashable {
    /// The number of the last event that was sent.
    public var lastSequence: UInt64

    private enum CodingKeys: String, CodingKey {
        case lastSequence = "last_seq"
    }

    /// Creates the end of a subscription.
    public init(lastSequence: UInt64) {
        self.lastSequence = lastSequence
    }
}

/// A change of the journal between writable and not writable, or events that it has lost.
public struct JournalDegraded: Codable, Sendable, Hashable {
    /// True while it cannot be written or flushed; false when it can be, also for what was lost before
    /// (`journal_deleted`, `journal_lease_found`).
    public var isDegraded: Bool
    /// The code of the change.
    public var code: String
    /// The details, for people.
    public var detail: String?
    /// The first number that is missing from the journal because of it, or was never used.
    public var missingFirstSequence: UInt64?
    /// The last such number.
    public var missingLastSequence: UInt64?
    /// The settled states at the time of the event, if numbers are missing; `nil` before the first state has settled.
    public var settled: SettledStates?

    private enum CodingKeys: String, CodingKey {
        case isDegraded = "degraded"
        case code, detail
        case missingFirstSequence = "missing_first_seq"
        case missingLastSequence = "missing_last_seq"
        case settled
    }

    /// Creates a change.
    public init(
        isDegraded: Bool,
        code: String,
        detail: String? = nil,
        missingFirstSequence: UInt64? = nil,
        missingLastSequence: UInt64? = nil,
        settled: SettledStates? = nil
    ) {
        self.isDegraded = isDegraded
        self.code = code
        self.detail = detail
        self.missingFirstSequence = missingFirstSequence
        self.missingLastSequence = missingLastSequence
        self.settled = settled
    }
}

/// Recorded events that were not kept for as long as others: this event replaces the last of them.
///
/// The numbers from ``firstSequence`` to the event's own are not missing.
public struct EventsOmitted: Codable, Sendable, Hashable {
    /// The number of the first omitted event.
    public var firstSequence: UInt64
    /// The number of omitted events.
    public var count: UInt64

    private enum CodingKeys: String, CodingKey {
        case firstSequence = "first_seq"
        case count
    }

    /// Creates omitted events.
    public init(firstSequence: UInt64, count: UInt64) {
        self.firstSequence = firstSequence
        self.count = count
    }
}
