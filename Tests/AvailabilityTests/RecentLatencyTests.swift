import AgentEvents
import Availability
import Testing

/// The checks of the last 24 hours.
@Suite
struct RecentLatencyTests {
    private static let hour: Int64 = 3600

    private static func summary(
        _ probe: String = "web",
        at second: Int64,
        _ milliseconds: [Int64],
        failed: Int = 0
    ) -> ProbeSummary {
        var summary = ProbeSummary(
            point: ProbePoint(probe: probe),
            from: Journal.moment(second),
            to: Journal.moment(second + 60),
            succeeded: milliseconds.count
        )
        for duration in milliseconds { summary.latency.add(microseconds: duration * 1000) }
        if failed > 0 { summary.failed.add("timeout", failed) }
        return summary
    }

    @Test
    func `summaries of an hour add up, and hours stay in their order`() throws {
        var latency = RecentLatency()
        latency.add(Self.summary(at: 2 * Self.hour + 10, [30], failed: 1))
        latency.add(Self.summary(at: Self.hour, [20, 20]))
        latency.add(Self.summary(at: 2 * Self.hour + 1800, [40]))
        let hours = try #require(latency.hours(at: Journal.moment(2 * Self.hour + 3599))[ProbePoint(probe: "web")])
        #expect(hours.map(\.start) == [Journal.moment(Self.hour), Journal.moment(2 * Self.hour)])
        #expect(hours.map(\.succeeded) == [2, 2] && hours.map(\.failed) == [0, 1])
        #expect(hours.last?.latency.count == 2)
    }

    @Test
    func `an hour that is 24 hours old is forgotten, and one of the future is not shown`() {
        var latency = RecentLatency()
        for hour in 0..<30 as Range<Int64> { latency.add(Self.summary(at: hour * Self.hour, [20])) }
        let point = ProbePoint(probe: "web")
        #expect(latency.hours(at: Journal.moment(29 * Self.hour))[point]?.count == 24)
        #expect(latency.hours(at: Journal.moment(28 * Self.hour))[point]?.last?.start == Journal.moment(28 * Self.hour))
        #expect(latency.hours(at: Journal.moment(60 * Self.hour)).isEmpty)
    }

    @Test
    func `points and counts are bounded`() {
        var latency = RecentLatency()
        for number in 0...300 { latency.add(Self.summary("p\(number)", at: 0, [1])) }
        #expect(latency.hours(at: Journal.moment(0)).count == RecentLatency.maximumPoints)
        // One of those without checks in the last two hours makes room for another.
        latency.add(Self.summary("next", at: Self.hour, [1]))
        #expect(latency.hours(at: Journal.moment(Self.hour))[ProbePoint(probe: "next")] == nil)
        for number in 0..<10 { latency.add(Self.summary("p\(number)", at: 2 * Self.hour, [1])) }
        latency.add(Self.summary("next", at: 2 * Self.hour, [1]))
        let hours = latency.hours(at: Journal.moment(2 * Self.hour))
        #expect(hours.count == RecentLatency.maximumPoints && hours[ProbePoint(probe: "next")]?.count == 1)
        var huge = Self.summary("p0", at: 0, [1])
        huge.succeeded = .max
        latency.add(huge)
        latency.add(huge)
        #expect(latency.hours(at: Journal.moment(0))[ProbePoint(probe: "p0")]?.first?.succeeded == .max)
    }
}
