public import AgentEvents

/// A numbered event as stored in the journal.
public struct JournalRecord: Sendable, Hashable {
    /// The maximum valid number: beyond it there is only damage.
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
