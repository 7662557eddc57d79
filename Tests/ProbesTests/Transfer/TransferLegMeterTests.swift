import NIOCore
import Testing

@testable import Probes

/// A direction of a transfer: its small requests are a small share of its bytes, and its retransmissions its own.
@Suite struct TransferLegMeterTests {
    private static let begin = NIODeadline.uptimeNanoseconds(1_000_000_000)

    /// A leg to which 125,000 bytes a second have come, in records of 12,500 bytes.
    private func leg(seconds: Int64) -> TransferLegMeter {
        var leg = TransferLegMeter(.download, wantedBytes: 10_000_000)
        for record in 0..<seconds * 10 { leg.goodput.add(12_500, at: Self.begin + .milliseconds(record * 100)) }
        return leg
    }

    private func interval(_ leg: TransferLegMeter, after time: TimeAmount, bytes: Int = 500, count: Int = 2)
        -> TimeAmount?
    {
        leg.smallRequestInterval(of: bytes, times: count, at: Self.begin + time)
    }

    @Test func `there is none before the first byte`() {
        #expect(interval(TransferLegMeter(.download, wantedBytes: 1), after: .seconds(1)) == nil)
    }

    @Test(arguments: [(500, 1, 80), (500, 2, 160), (1000, 2, 320), (0, 2, 0)])
    func `it keeps their share of the bytes at a twentieth`(bytes: Int, count: Int, milliseconds: Int64) {
        #expect(
            interval(leg(seconds: 8), after: .seconds(8), bytes: bytes, count: count) == .milliseconds(milliseconds)
        )
    }

    @Test func `a pause of the transfer does not end them at once`() {
        #expect(interval(leg(seconds: 2), after: .seconds(3)) == .milliseconds(240))
    }

    @Test func `when they are far ahead there is none`() {
        var leg = leg(seconds: 2)
        leg.smallRequests = 57
        #expect(interval(leg, after: .seconds(2)) != nil)
        leg.smallRequests = 58
        #expect(interval(leg, after: .seconds(2)) == nil)
    }

    @Test func `requests of any size have an interval`() {
        var leg = TransferLegMeter(.upload, wantedBytes: 1)
        leg.goodput.add(1, at: Self.begin)
        #expect(interval(leg, after: .hours(1000), bytes: 1 << 40) == .hours(24))
    }

    @Test(
        arguments: [
            (before: 3, end: 3, later: 3, expected: 0), (3, 3, nil, 0), (0, 0, 2, 0), (3, 8, 9, 5), (3, nil, 8, nil),
            (nil, 8, 9, nil),
        ] as [(before: Int?, end: Int?, later: Int?, expected: Int?)]
    )
    func `the retransmissions of a leg are counted once, and without those before it`(
        before: Int?,
        end: Int?,
        later: Int?,
        expected: Int?
    ) {
        var leg = TransferLegMeter(.upload, wantedBytes: 1)
        leg.startRetransmissions(at: before)
        #expect(leg.leg(idle: nil).retransmissions == nil)
        leg.endRetransmissions(at: end)
        leg.endRetransmissions(at: later)
        #expect(leg.leg(idle: nil).retransmissions == expected)
    }
}
