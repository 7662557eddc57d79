import AgentTestKit
import NIOCore
import Testing

@testable import Probes

/// One small request in each interval, at a time that keeps step with nothing.
@Suite struct RandomTimesTests {
    private static let begin = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private var times = RandomTimes()
    private var generator = SplitMix(state: 1)

    /// The next times before one, in milliseconds after the begin, as a look at another time plans them.
    private mutating func plan(at now: Int64, before end: Int64, every interval: Int64 = 100) -> [Double] {
        var planned: [Double] = []
        while let time = times.next(
            before: Self.begin + .milliseconds(end),
            every: .milliseconds(interval),
            at: Self.begin + .milliseconds(now),
            using: &generator
        ) {
            planned.append(Double((time - Self.begin).nanoseconds) / 1e6)
        }
        return planned
    }

    @Test mutating func `the first is at once`() {
        #expect(plan(at: 0, before: 1) == [0])
        #expect(plan(at: 0, before: 1) == [])
    }

    @Test mutating func `each interval has one, at any of its times`() {
        // As in a transfer: a look each 50 ms plans two of them ahead.
        let planned = (0..<2000).flatMap { plan(at: $0 * 50, before: $0 * 50 + 100) }
        #expect(planned.enumerated().allSatisfy { index, time in Int(time / 100) == index })
        let parts = planned.dropFirst().map { $0.truncatingRemainder(dividingBy: 100) }
        for part in 0..<10 {
            let count = parts.count { Int($0 / 10) == part }
            #expect(
                (70...130).contains(count),
                "\(count) of \(parts.count) between \(part * 10) and \(part * 10 + 10) ms"
            )
        }
    }

    @Test mutating func `missed times are not made up for`() {
        #expect(plan(at: 0, before: 1) == [0])
        let late = plan(at: 5000, before: 5100)
        #expect(late.count == 1 && late.allSatisfy { $0 >= 5000 })
    }

    @Test mutating func `an interval may become longer or shorter`() {
        #expect(plan(at: 0, before: 1) == [0])
        #expect(plan(at: 0, before: 200, every: 10_000) == [])
        // Of the interval that has begun, not of the one before.
        let planned = plan(at: 50, before: 1000)
        #expect((9...10).contains(planned.count), "\(planned)")
    }
}
