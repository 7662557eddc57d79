internal import EventEnvelope

/// The segment that is being written.
struct ActiveSegment: Sendable {
    let name: SegmentName
    let file: OpenFile
    /// Where the next line begins: the file has this many bytes, unless something is wrong.
    var bytes: UInt64
    /// The time of its first event; `nil` while it has none.
    var firstTime: Timestamp?
    /// When this process opened it.
    let openedAt: ContinuousClock.Instant
    /// Whether a torn line stands behind the last whole one and has to be cut off first.
    var isTorn = false

    /// Whether another segment has to be begun before an event of the given time.
    ///
    /// The segment's age is the larger of what the wall clock and what the clock that never jumps say: when the wall clock
    /// is set back, the age is not negative but that since the opening.
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

    /// Cuts off what stands behind the last whole line.
    mutating func cutTornLine() throws(JournalError) {
        guard isTorn else { return }
        try file.truncate(to: bytes)
        isTorn = false
    }
}
