internal import AgentEvents

/// The open segment.
struct ActiveSegment: Sendable {
    let name: SegmentName
    let file: OpenFile
    /// The offset of the next line, which is the size of an intact file.
    var bytes: UInt64
    /// The time of its first event, after a restart ``SegmentScan/firstTime``; `nil` without events.
    var firstTime: Timestamp?
    /// The time at which this process opened it.
    let openedAt: ContinuousClock.Instant
    /// `true` if a torn line follows the last complete one and must be truncated first.
    var isTorn = false

    /// Returns whether a new segment must be started for an event of the given time.
    ///
    /// The age is the larger of those by the wall clock and by the monotonic clock: if the wall clock is set back, the
    /// age is not negative but counts from the opening.
    func isFull(
        for time: Timestamp,
        at instant: ContinuousClock.Instant,
        _ configuration: JournalConfiguration
    ) -> Bool {
        guard let firstTime else { return false }
        if bytes >= UInt64(clamping: configuration.segmentBytes) { return true }
        return firstTime.age(at: time) >= configuration.segmentAge
            || openedAt.duration(to: instant) >= configuration.segmentAge
    }

    /// Truncates everything after the last complete line.
    mutating func cutTornLine() throws(JournalError) {
        guard isTorn else { return }
        try file.truncate(to: bytes)
        isTorn = false
    }
}
