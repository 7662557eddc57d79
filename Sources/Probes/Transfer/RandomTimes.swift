internal import NIOCore

/// The times of small requests: one at a random time in each interval.
///
/// Evenly spaced requests synchronize with what they sample: a slow link's acknowledgments, which arrive just as
/// evenly, or the eight round trips of a BBR cycle. Each request then meets the queue at the same point of its cycle,
/// and their median is not that of the queue (RFC 2330, section 11.1.1).
struct RandomTimes {
    /// The start of the next interval, and the share of the interval before its time; the first time is immediate.
    private var begin: NIODeadline?
    private var share = 0.0

    /// Returns the next time if it is before `end`; each time is returned once.
    ///
    /// - Parameters:
    ///   - interval: The length of the interval, which may change from call to call.
    ///   - now: The current time; missed times are not made up for by a burst: the interval starts anew.
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
