public import AgentEvents

/// A numbered event as stored in the journal.
public struct JournalRecord: Sendable, Hashable {
    /// The maximum valid number; a greater one is a sign of damage.
    static let maximumSequence = UInt64(Int64.max)

    /// The number.
    public let sequence: UInt64
    /// The time of the event.
    public let time: Timestamp
    /// `true` to flush the event to the disk at once, whatever the interval.
    public let isUrgent: Bool
    /// The event's JSON text, without line breaks.
    public let line: [UInt8]

    /// Creates a record.
    public init(sequence: UInt64, time: Timestamp, isUrgent: Bool = false, line: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.isUrgent = isUrgent
        self.line = line
    }

    /// Creates the record of an event; `nil` when the event is not numbered.
    ///
    /// A change of the machine's reachability is urgent. The event's line is shared, not copied.
    public init?(_ event: Event) {
        guard let sequence = event.sequence else { return nil }
        self.init(
            sequence: sequence,
            time: event.time,
            isUrgent: event.type == .reachabilityChanged,
            line: event.line
        )
    }
}

/// The queue for a disk that cannot be written: bounded, in the order of the numbers.
struct JournalBacklog: Sendable {
    static let maximumRecords = 4096
    static let maximumBytes = 4 << 20

    private(set) var records: [JournalRecord] = []
    private var bytes = 0

    /// Appends records to the queue.
    ///
    /// - Returns: The numbers of the oldest records, which were dropped.
    mutating func append(_ added: some Sequence<JournalRecord>) -> ClosedRange<UInt64>? {
        for record in added {
            records.append(record)
            bytes += record.line.count + 1
        }
        var count = 0
        while records.count - count > Self.maximumRecords || bytes > Self.maximumBytes, count < records.count {
            bytes -= records[count].line.count + 1
            count += 1
        }
        guard count > 0 else { return nil }
        let dropped = records[0].sequence...records[count - 1].sequence
        records.removeFirst(count)
        return dropped
    }

    /// Takes all queued records.
    mutating func takeAll() -> [JournalRecord] {
        defer {
            records = []
            bytes = 0
        }
        return records
    }
}
