public import EventEnvelope

/// A numbered event, as the journal keeps it.
public struct JournalRecord: Sendable, Hashable {
    /// The highest number that is taken for one: beyond it only damage leads.
    static let mostSequence = UInt64(Int64.max)

    /// The number.
    public let sequence: UInt64
    /// When the event was made.
    public let time: Timestamp
    /// Whether it is forced onto the disk at once, whatever the interval.
    public let isUrgent: Bool
    /// The event's JSON text, without the line's end and without one inside.
    public let line: [UInt8]

    /// A record.
    public init(sequence: UInt64, time: Timestamp, isUrgent: Bool = false, line: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.isUrgent = isUrgent
        self.line = line
    }

    /// The record of an event; `nil` when the event is not numbered.
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
