import AgentEvents
import AgentTestKit
import Testing

@Suite
struct ExponentialHistogramTests {
    /// Latencies as networks have them, in microseconds, from a seed.
    private static func latencies(_ shape: String, _ count: Int, seed: UInt64) -> [Int64] {
        var random = SplitMix(state: seed)
        return (0..<count).map { _ in
            switch shape {
            case "flat": Int64.random(in: 800..<90_000, using: &random)
            case "long tail":
                // Powers of two by coin tosses: each is half as frequent as the one before.
                Int64.random(in: 1000..<2000, using: &random) << Int64((random.next() | 1 << 14).trailingZeroBitCount)
            case "two modes":
                Int64.random(in: Bool.random(using: &random) ? 9000..<9100 : 240_000..<260_000, using: &random)
            default: 20_833
            }
        }
    }

    private static func histogram(_ latencies: [Int64]) -> ExponentialHistogram {
        latencies.reduce(into: ExponentialHistogram()) { $0.add(microseconds: $1) }
    }

    @Test(arguments: ["flat", "long tail", "two modes", "constant"], [1, 7, 60, 10_000])
    func `quantiles are at most 4,4 per cent from the exact ones`(_ shape: String, _ count: Int) throws {
        let latencies = Self.latencies(shape, count, seed: UInt64(count)).sorted()
        let histogram = Self.histogram(latencies)
        for share in [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
            let rank = max(1, Int((share * Double(count)).rounded(.up)))
            let (exact, estimate) = (Double(latencies[rank - 1]), Double(try #require(histogram.quantile(share))))
            #expect(abs(estimate - exact) <= exact * 0.044 + 0.5, "\(shape), \(count), \(share)")
        }
        #expect(histogram.minimum == latencies.first)
        #expect(histogram.maximum == latencies.last)
        #expect(histogram.sum == latencies.reduce(0) { $0 + UInt64($1) })
        #expect(histogram.count == UInt64(count))
    }

    @Test
    func `histograms merge to that of all their durations, in any order`() {
        let parts = (0..<5).map { Self.latencies($0 < 3 ? "long tail" : "two modes", $0 * 100, seed: UInt64($0)) }
        let whole = Self.histogram(parts.flatMap(\.self))
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
            var merged = ExponentialHistogram()
            for index in order { merged.merge(Self.histogram(parts[index])) }
            #expect(merged == whole)
        }
    }

    @Test
    func `a duration belongs to the bucket whose upper bound is the first that it does not exceed`() {
        for index in ExponentialHistogram.indexes.dropFirst(60).dropLast() {
            let bound = Int64(ExponentialHistogram.upperBound(ofBucket: index) * 1_000_000)
            #expect(Self.histogram([bound]).buckets.map(\.index) == [index])
            #expect(Self.histogram([bound + 1]).buckets.map(\.index) == [index + 1])
        }
        #expect(ExponentialHistogram.upperBound(ofBucket: 0) == 1)
        #expect(ExponentialHistogram.upperBound(ofBucket: 8) == 2)
        #expect(ExponentialHistogram.upperBound(ofBucket: -8) == 0.5)
    }

    @Test
    func `durations of any size are counted`() throws {
        let histogram = Self.histogram([.min, -1, 0, 1, .max])
        #expect(histogram.count == 5)
        #expect(histogram.buckets.map(\.index) == [-159, 160])
        #expect((0...1).contains(try #require(histogram.quantile(0))))
        #expect(histogram.quantile(1) == .max)
        #expect(ExponentialHistogram().quantile(0.5) == nil)
    }

    private static func decoded(_ data: String) -> ProbeSummary? {
        let line =
            #"{"id":"s-7","source":"/reachagent/edge-7","type":"reachagent.probe.summary","subject":"web","#
            + #""time":"2026-11-21T08:00:12Z","seq":7,"data":{"probe":"web","from":"2026-11-21T07:00:00Z","#
            + #""to":"2026-11-21T07:59:00Z","ok":2,"latency":\#(data)}}"#
        guard case .probeSummary(let summary)? = AgentEvent(line: Array(line.utf8))?.content else { return nil }
        return summary
    }

    @Test(arguments: [
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":[-40,1,-41,1]}"#,
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":[-40,1,-40,1]}"#,
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":[-40,0]}"#,
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":[-40]}"#,
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":[161,1]}"#,
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":[-9223372036854775808,1]}"#,
        #"{"min_us":1,"max_us":2,"sum_us":3,"buckets":["a",1]}"#,
    ])
    func `invalid buckets are not read`(_ data: String) {
        #expect(Self.decoded(data)?.latency.count ?? 0 == 0)
    }

    @Test
    func `hostile counts do not overflow`() throws {
        let text = #"{"min_us":5,"max_us":-1,"sum_us":18446744073709551615,"#
        var summary = try #require(Self.decoded(text + #""buckets":[-40,18446744073709551615,150,7]}"#))
        summary.latency.merge(summary.latency)
        #expect(summary.latency.count == .max)
        #expect(summary.latency.sum == .max)
        #expect(summary.latency.quantile(0.99) == 5)
    }
}
