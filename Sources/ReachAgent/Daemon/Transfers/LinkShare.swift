/// The share of an uplink's bytes over the last second that belong to other traffic than the transfer.
///
/// Pure: counters and times in, a verdict out.
struct LinkShare: Sendable {
    /// Other traffic beyond what the transfer tolerates.
    struct Excess: Sendable, Hashable {
        /// The rate of all traffic, in bits per second.
        var total: Double
        /// The rate of other traffic, in bits per second.
        var others: Double
    }

    /// The time over which the share is measured.
    static let window: Duration = .seconds(1)
    /// The rate of other traffic that is always tolerated, in bits per second: name lookups, time, small checks.
    static let toleratedRate = 64_000.0
    /// The maximum of the transfer's bytes that wait in the machine's own queue: the kernel counts them as sent before
    /// the interface does, and limits them for each socket (`tcp_limit_output_bytes`).
    private static let maximumQueue: Int64 = 256 << 10
    /// The maximum number of samples, which is never reached at the intervals of ``TrafficWatch``.
    private static let maximumSamples = 64

    private struct Sample {
        let start: ContinuousClock.Instant
        let end: ContinuousClock.Instant
        let total: Int64
        let others: Int64
    }

    /// The tolerated share, from 0 to 1.
    let tolerated: Double
    private var last: (total: UInt64, own: Int, at: ContinuousClock.Instant)?
    private var samples: [Sample] = []
    private var queued: Int64 = 0

    init(tolerated: Double) { self.tolerated = tolerated }

    /// Starts over, for another interface.
    mutating func restart() { self = LinkShare(tolerated: tolerated) }

    /// Adds the counters of one time.
    ///
    /// - Parameters:
    ///   - total: The bytes that the interface has carried.
    ///   - own: The transfer's bytes among them.
    /// - Returns: The rates, once a whole second had more of other traffic than tolerated.
    mutating func add(total: UInt64, own: Int, at now: ContinuousClock.Instant) -> Excess? {
        defer { last = (total, own, now) }
        // A counter that runs backwards was reset.
        guard let last, now > last.at, total >= last.total, own >= last.own else {
            samples = []
            return nil
        }
        let carried = Int64(clamping: total - last.total)
        var others = carried - Int64(clamping: own - last.own)
        if others < 0 {
            queued = min(Self.maximumQueue, queued - others)
            others = 0
        } else {
            let late = min(queued, others)
            queued -= late
            others -= late
        }
        samples.append(Sample(start: last.at, end: now, total: carried, others: others))
        samples.removeAll { $0.end <= now - Self.window }
        if samples.count > Self.maximumSamples { samples.removeFirst() }
        return excess(until: now)
    }

    private func excess(until now: ContinuousClock.Instant) -> Excess? {
        guard let first = samples.first, now - first.start >= Self.window else { return nil }
        let seconds = (now - first.start) / .seconds(1)
        let total = 8 * samples.reduce(0.0) { $0 + Double($1.total) } / seconds
        let others = 8 * samples.reduce(0.0) { $0 + Double($1.others) } / seconds
        guard others > Self.toleratedRate, others > tolerated * total else { return nil }
        return Excess(total: total, others: others)
    }
}
