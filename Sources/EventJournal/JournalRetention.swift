internal import AgentEvents

/// Selects the segments to delete.
struct JournalRetention {
    private let configuration: JournalConfiguration
    private let now: Timestamp
    private let isClockTrusted: Bool
    private let instant: ContinuousClock.Instant

    /// - Parameter isClockTrusted: `false` to keep segments whatever their age: a clock that is years ahead at the
    ///   start would delete everything.
    init(
        _ configuration: JournalConfiguration,
        wallClock now: Timestamp,
        isClockTrusted: Bool,
        instant: ContinuousClock.Instant
    ) {
        self.configuration = configuration
        self.now = now
        self.isClockTrusted = isClockTrusted
        self.instant = instant
    }

    /// Returns the segments that are too old, or too many: always the oldest, never the newest.
    ///
    /// - Parameter newestTime: Returns the time of a segment's newest event; `nil` for a segment without events, which is
    ///   as old as the next one.
    func expired(
        _ segments: [JournalSegment],
        newestTime: (JournalSegment) -> Timestamp? = { $0.newestTime }
    ) -> [SegmentName] {
        // The newest one has room to grow: the limit holds until it is full.
        let growth = max(0, configuration.segmentBytes - (segments.last?.bytes ?? 0))
        // Files may be sparse, and of any size.
        var bytes = segments.reduce(Int128(growth)) { $0 + Int128($1.bytes) }
        var expired = 0
        var newestBefore: Timestamp?
        for (position, segment) in segments.dropLast().enumerated() {
            let isTooOld = isTooOld(segment, newestTime(segment), &newestBefore)
            if bytes > configuration.totalBytes || isTooOld == true {
                bytes -= segments[expired...position].reduce(0) { $0 + Int128($1.bytes) }
                expired = position + 1
            } else if isTooOld == false {
                break
            }
        }
        return segments[..<expired].map(\.name)
    }

    /// Returns whether the segment's last event is too old; not if the clock may be the reason, and `nil` without events.
    ///
    /// A device without a battery-backed clock starts in 1970: events are at least as young as those before them, and
    /// no older than the time since this process wrote them.
    private func isTooOld(
        _ segment: JournalSegment,
        _ newestTime: Timestamp?,
        _ newestBefore: inout Timestamp?
    ) -> Bool? {
        var newest = newestTime
        if let time = newest {
            if let before = newestBefore, before.age(at: now) >= .zero, time.age(at: before) > .zero { newest = before }
            newestBefore = newest
        }
        if let closedAt = segment.closedAt, closedAt.duration(to: instant) <= configuration.totalAge { return false }
        return newest.map { isClockTrusted && $0.age(at: now) > configuration.totalAge }
    }
}

extension Timestamp {
    /// Returns the time from this timestamp to `later`; negative when the clock was set back in between.
    func age(at later: Timestamp) -> Duration {
        let (microseconds, overflow) = later.microsecondsSince1970.subtractingReportingOverflow(microsecondsSince1970)
        guard overflow else { return .microseconds(microseconds) }
        return .microseconds(later.microsecondsSince1970 > microsecondsSince1970 ? Int64.max : .min)
    }
}
