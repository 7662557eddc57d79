internal import CheckResults
internal import NIOCore

/// The connections of small requests under load: a separate one, and over HTTP/2 that of the transfer.
enum SmallPath { case separate, same }

/// The measurements of one direction of a running transfer.
struct TransferLegMeter {
    /// The minimum number of transferred bytes for each byte of the small requests.
    private static let smallShare = 20
    /// The number of bytes by which the small requests may exceed their share, for when the transfer pauses.
    private static let smallAdvance = 16 << 10

    let direction: TransferDirection
    var wantedBytes: Int
    var goodput = GoodputMeter()
    var loaded = LoadedMeter()
    var timeToFirstByte: Duration?
    private(set) var retransmissions: Int?
    /// The segments that the connection retransmitted before the leg; nil once those of the leg are counted.
    private var retransmittedBefore: Int?
    /// The number of small requests sent, whose bytes must stay a small share of the transfer.
    var smallRequests = 0
    private var separateTimes = RandomTimes()
    private var sameTimes = RandomTimes()

    init(_ direction: TransferDirection, wantedBytes: Int) {
        self.direction = direction
        self.wantedBytes = wantedBytes
    }

    var bytes: Int { goodput.bytes }
    var isComplete: Bool { bytes >= wantedBytes }

    /// Notes the segments that the connection has retransmitted at the start of the leg; nil if the kernel does not count.
    mutating func startRetransmissions(at total: Int?) { retransmittedBefore = total }

    /// Counts the segments that the leg retransmitted, unless that was done before: what follows is none of the leg's.
    ///
    /// - Parameter total: Those of the connection; nil if the kernel does not count, or not any more.
    mutating func endRetransmissions(at total: Int?) {
        guard let before = retransmittedBefore else { return }
        retransmittedBefore = nil
        retransmissions = total.map { max(0, $0 - before) }
    }

    /// Returns the time between two rounds of small requests that keeps their share of the bytes below a twentieth; nil
    /// before the first byte, and while the requests exceed their share.
    ///
    /// Uses the mean rate, not the latest bytes: on a slow link, data arrives in whole TLS records, and requests that
    /// followed each record would see the queue only when it is long.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of one request on the wire.
    ///   - count: The number of requests in a round.
    func smallRequestInterval(of bytes: Int, times count: Int, at now: NIODeadline) -> TimeAmount? {
        guard goodput.bytes > 0, smallRequests * bytes <= goodput.bytes / Self.smallShare + Self.smallAdvance else {
            return nil
        }
        let roundShare = Double(bytes * count * Self.smallShare) / Double(goodput.bytes)
        let day = 86_400e9
        return .nanoseconds(Int64(min(Double(goodput.elapsed(at: now)) * roundShare, day)))
    }

    /// Returns the time of the next small request on a connection if it is before `end`; each time is returned once.
    ///
    /// Each connection has its own times. A request on the transfer's connection carries an acknowledgment, for which
    /// the server immediately sends a packet or two: the response to a concurrent request would queue behind them,
    /// 12 ms later at 1 Mbit/s, more often than at any other time.
    mutating func next(
        _ path: SmallPath,
        before end: NIODeadline,
        every interval: TimeAmount,
        at now: NIODeadline
    ) -> NIODeadline? {
        var generator = SystemRandomNumberGenerator()
        return switch path {
        case .separate: separateTimes.next(before: end, every: interval, at: now, using: &generator)
        case .same: sameTimes.next(before: end, every: interval, at: now, using: &generator)
        }
    }

    /// Returns the leg so far.
    func leg(idle: RoundTrips?) -> TransferLeg {
        var leg = TransferLeg(wantedBytes: wantedBytes)
        leg.bytes = min(bytes, wantedBytes)
        leg.duration = goodput.duration
        leg.timeToFirstByte = timeToFirstByte
        leg.goodput = goodput.goodput
        leg.retransmissions = retransmissions
        leg.loaded = loaded.figures(idle: idle, since: goodput.endOfSlowStart())
        return leg
    }
}
