import NIOCore
import Testing

@testable import Probes

@Suite
struct RoundTripMeterTests {
    private func at(_ milliseconds: Int) -> NIODeadline { .uptimeNanoseconds(UInt64(milliseconds) * 1_000_000) }

    private func meter(_ milliseconds: [Int]) -> RoundTripMeter {
        var meter = RoundTripMeter()
        for (index, duration) in milliseconds.enumerated() { meter.add(.milliseconds(duration), sent: at(100 * index)) }
        return meter
    }

    @Test
    func `the figures are those of the sorted round trips`() throws {
        let figures = try #require(meter([30, 10, 20, 40]).figures())
        #expect(figures.count == 4)
        #expect(figures.minimum == .milliseconds(10))
        #expect(figures.p50 == .milliseconds(25))
        #expect(figures.p95 == .milliseconds(40))
        #expect(RoundTripMeter().figures() == nil)
    }

    @Test
    func `the mean leaves out values above the 95th percentile`() {
        let durations = [Int](repeating: 20, count: 95) + [Int](repeating: 5000, count: 5)
        #expect(meter(durations).trimmedMean() == .milliseconds(20))
        #expect(meter([10, 30]).trimmedMean() == .milliseconds(20))
    }

    @Test
    func `round trips during slow start are left out once there are others`() throws {
        let many = meter([10, 10, 10, 200, 200, 200, 200, 200])
        #expect(try #require(many.figures(since: at(300))).minimum == .milliseconds(200))
        let few = meter([10, 10, 10, 200])
        #expect(try #require(few.figures(since: at(300))).minimum == .milliseconds(10))
    }

    @Test
    func `the responsiveness weighs both connections equally`() throws {
        let idle = try #require(meter([20, 20]).figures())
        let loaded = LoadedMeter(separate: meter([100, 100, 100]), same: meter([300]))
        let figures = try #require(loaded.figures(idle: idle, since: nil))
        #expect(figures.perMinute == 300)
        #expect(figures.added == .milliseconds(80))
        #expect(figures.same?.count == 1)
        #expect(LoadedMeter().figures(idle: idle, since: nil) == nil)
    }

    @Test
    func `a link that is faster under load adds nothing`() throws {
        let idle = try #require(meter([50]).figures())
        let figures = try #require(LoadedMeter(separate: meter([20])).figures(idle: idle, since: nil))
        #expect(figures.added == .zero)
        #expect(figures.same == nil)
    }
}
