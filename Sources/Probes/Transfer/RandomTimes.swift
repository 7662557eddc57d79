internal import NIOCore

/// The times of small requests: one at a random time of each interval.
///
/// Evenly spaced requests fall into step with what they sample: a slow link's acknowledgments, which come as evenly, or
/// the eight round trips of a cycle of BBR. Each of them then meets the queue at the same point of its cycle, and their
/// median is not the queue's (RFC 2330, section 11.1.1).
struct RandomTimes {
    /// The begin of the interval that comes next, and the part of it before its time; the first time is at once.
    private var begin: NIODeadline?
    private var share = 0.0

    /// Returns the next time, if it is before another one; each time is returned once.
    ///
    /// - Parameters:
    ///   - interval: The length of the interval, which may change from call to call.
    ///   - now: What is before it was missed, and is made up for by no burst: the interval begins anew.
    mutating func next(
        before end: NIODeadline,
        every interval: TimeAmount,
        at now: NIODeadline,
        using generator: inout some RandomNumberGenerator
    ) -> NIODeadline? {
        let wait = TimeAmount.nanoseconds(Int64(Double(max(0, interval.nanoseconds)) * share))
        let planned = (begin ?? now) + wait
        let (start, time) = planned < now ? (now, now + wait) : (begin ?? now, planned)
        begin = start
        guard time < end else { return nil }
        begin = start + interval
        share = Double.random(in: 0..<1, using: &generator)
        return time
    }
}
