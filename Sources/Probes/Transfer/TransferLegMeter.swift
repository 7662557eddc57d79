internal import CheckResults
internal import NIOCore

/// The measurements of one direction of a transfer under way.
struct TransferLegMeter {
    let direction: TransferDirection
    var wantedBytes: Int
    var goodput = GoodputMeter()
    var loaded = LoadedMeter()
    var timeToFirstByte: Duration?
    var retransmissions: Int?
    /// The small requests sent, whose bytes must stay a small share of the transfer's.
    var smallRequests = 0

    init(_ direction: TransferDirection, wantedBytes: Int) {
        self.direction = direction
        self.wantedBytes = wantedBytes
    }

    var bytes: Int { goodput.bytes }
    var isComplete: Bool { bytes >= wantedBytes }

    /// Returns whether another small request keeps their share of the bytes below a twentieth.
    func affordsSmallRequest(of bytes: Int) -> Bool { smallRequests * bytes <= goodput.bytes / 20 }

    /// The leg so far.
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
