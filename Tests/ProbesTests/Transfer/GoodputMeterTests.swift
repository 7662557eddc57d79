import NIOCore
import Testing

@testable import Probes

@Suite
struct GoodputMeterTests {
    private func at(_ milliseconds: Int) -> NIODeadline { .uptimeNanoseconds(UInt64(1000 + milliseconds) * 1_000_000) }

    /// A meter that got so many bytes in each window of 100 ms, in four pieces.
    private func meter(_ windows: [Int]) -> GoodputMeter {
        var meter = GoodputMeter()
        meter.start(at: at(0))
        for (index, bytes) in windows.enumerated() {
            for piece in 1...4 { meter.add(bytes / 4, at: at(100 * index + 25 * piece)) }
        }
        return meter
    }

    @Test
    func `a steady rate is its median, its 95th percentile and its mean`() throws {
        let goodput = try #require(meter([Int](repeating: 12_500, count: 30)).goodput)
        #expect(goodput.p50 == 1_000_000)
        #expect(goodput.p95 == 1_000_000)
        #expect(goodput.mean == 1_000_000)
        #expect(goodput.windows == 30)
        #expect(goodput.slowStart == .zero)
    }

    @Test(arguments: [
        [10, 20, 40, 80, 160, 320, 640],
        // Three windows for each round trip, of which one has all the bytes.
        [30, 0, 0, 60, 0, 0, 120, 0, 0, 240, 0, 0, 480, 0, 0],
    ])
    func `slow start is left out`(start: [Int]) throws {
        let windows = start.map { $0 * 100 } + [Int](repeating: 64_000, count: 40)
        let goodput = try #require(meter(windows).goodput)
        #expect(goodput.p50 == 5_120_000)
        #expect(abs(goodput.mean - 5_120_000) < 150_000, "\(goodput)")
        #expect(goodput.slowStart >= .milliseconds(100 * (start.count - 3)), "\(goodput)")
        #expect(goodput.slowStart <= .milliseconds(100 * (start.count + 1)), "\(goodput)")
    }

    @Test
    func `slow start over a distant server is not taken for the rate`() throws {
        // A round trip of 600 ms, of whose six windows one has all the bytes: five windows alone show no growth.
        let start = (0..<6).flatMap { [14_600 << $0, 0, 0, 0, 0, 0] }
        var meter = meter(start + [Int](repeating: 125_000, count: 80))
        #expect(try #require(meter.goodput).mean < 8_000_000)
        meter.roundTrip = .milliseconds(600)
        let goodput = try #require(meter.goodput)
        #expect(abs(goodput.mean - 10_000_000) < 500_000, "\(goodput)")
        #expect(goodput.slowStart >= .seconds(2), "\(goodput)")
    }

    @Test
    func `a transfer that only grows keeps its second half`() throws {
        let goodput = try #require(meter((0..<12).map { 1000 << $0 }).goodput)
        #expect(goodput.windows >= 6)
        #expect(goodput.p50 > 8 * 1000 * 64 * 10)
    }

    @Test
    func `an outage within the transfer counts as time of the transfer`() throws {
        let windows = [Int](repeating: 10_000, count: 20) + [Int](repeating: 0, count: 20) + [10_000]
        let goodput = try #require(meter(windows).goodput)
        #expect(goodput.windows == 41)
        #expect(abs(goodput.mean - 800_000 * 21 / 41) < 1000)
    }

    @Test
    func `pauses count neither as time nor as windows`() throws {
        var meter = meter([Int](repeating: 10_000, count: 10))
        meter.pause(at: at(1000))
        meter.resume(at: at(61_000))
        for index in 0..<11 { meter.add(10_000, at: at(61_000 + 100 * index)) }
        #expect(meter.duration == .milliseconds(2000))
        let goodput = try #require(meter.goodput)
        #expect(goodput.windows == 20)
        #expect(goodput.p50 == 800_000)
    }

    @Test
    func `a transfer shorter than a window has its mean`() throws {
        var meter = GoodputMeter()
        meter.add(50_000, at: at(0))
        #expect(meter.goodput == nil)
        meter.add(100_000, at: at(10))
        // The first piece came before the time began.
        #expect(meter.goodput?.p50 == 80_000_000)
        #expect(meter.goodput?.windows == 1)
    }

    @Test
    func `a slow link has its own rate, and not that of TLS records of 16 KiB`() throws {
        var meter = GoodputMeter()
        // 1 Mbit/s: a record takes 131 ms, so that one window has a record and another none.
        for record in 0..<60 { meter.add(16_384, at: .uptimeNanoseconds(UInt64(record) * 131_072_000)) }
        let goodput = try #require(meter.goodput)
        #expect(abs(goodput.p50 - 1_000_000) < 1000)
        #expect(abs(goodput.p95 - 1_000_000) < 1000)
    }

    @Test
    func `a total is spread over the time since the last one`() throws {
        var meter = GoodputMeter()
        meter.start(at: at(0))
        for step in 1...20 { meter.reach(step * 7500, at: at(step * 75)) }
        let goodput = try #require(meter.goodput)
        #expect(goodput.windows == 15)
        #expect(abs(goodput.p50 - 800_000) < 100)
        #expect(abs(goodput.p95 - 800_000) < 100)
        #expect(meter.bytes == 150_000)
    }

    @Test
    func `the rate of the last second follows the link`() {
        let slow = [Int](repeating: 10_000, count: 10)
        #expect(meter(slow + [Int](repeating: 30_000, count: 5)).recentRate(at: at(1500)) == 1_600_000)
        #expect(meter(slow + [Int](repeating: 30_000, count: 10)).recentRate(at: at(2000)) == 2_400_000)
        #expect(GoodputMeter().recentRate(at: at(0)) == nil)
    }

    @Test
    func `neither time going backwards nor huge numbers trap`() {
        var meter = GoodputMeter()
        meter.add(.max, at: at(100))
        meter.add(.max, at: at(0))
        meter.reach(.max, at: .distantFuture)
        meter.add(5, at: .distantFuture)
        #expect(meter.bytes == .max)
        _ = meter.goodput
        _ = meter.recentRate(at: .distantFuture)
    }
}
