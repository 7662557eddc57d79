internal import AgentEvents

// The age of the waiting events. A machine without a battery-backed clock starts in 1970, or at the time of its last
// shutdown, and steps its clock after a while: the difference to an event's time may be years, or negative.
extension ShippingEngine {
    /// The oldest waiting event, and the start of its wait.
    struct OldestWaiting: Sendable, Hashable {
        /// The number.
        let sequence: UInt64
        /// The time of the event.
        let time: Timestamp
        /// The instant from which its age counts, whatever happens to the time of day.
        let since: ContinuousClock.Instant
        /// The instant at which the events up to ``newest`` are known to have existed.
        let seen: ContinuousClock.Instant
        /// The newest event that existed then.
        let newest: UInt64
    }

    /// Records the oldest waiting event; only a new one changes anything.
    mutating func noteOldestWaiting(_ sequence: UInt64, _ time: Timestamp, _ now: Moment) {
        if let known = oldestWaiting, known.sequence == sequence, known.time == time { return }
        var (seen, newest) = (now.instant, max(newest ?? 0, sequence))
        // Without this, each of the events that waited together would wait for the whole time anew.
        if let former = oldestWaiting, former.sequence < sequence, sequence <= former.newest {
            (seen, newest) = (former.seen, former.newest)
        }
        let age = time.plausibleAge(at: now.time) ?? .zero
        oldestWaiting = OldestWaiting(
            sequence: sequence,
            time: time,
            since: min(seen, now.instant - age),
            seen: seen,
            newest: newest
        )
    }
}

extension Timestamp {
    /// The time from this moment to another; `nil` if it cannot be the age of an event.
    fileprivate func plausibleAge(at now: Timestamp) -> Duration? {
        guard Self.earliestPlausible <= self, self <= now else { return nil }
        return .microseconds(now.microsecondsSince1970 - microsecondsSince1970)
    }
}
