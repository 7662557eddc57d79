internal import BenchmarkKit
internal import StreamTestbed
internal import WebTestbed

/// The throughput of sequential scrapes of each server, and the server's CPU time for each scrape.
struct ScrapeBenchmark {
    private static let warmUp = 50

    let milliseconds: Int
    let rounds: Int

    /// The result of one round.
    private struct Measurement {
        let perSecond: Double
        let cpuMicroseconds: Double
        let p50Microseconds: Double
        let p99Microseconds: Double
    }

    func run(_ servers: [MetricsServer], progress: (String) -> Void) throws(BenchmarkError) -> [ScrapeResult] {
        try Affinity.pin(to: EventServer.subscribersCPU)
        defer { try? Affinity.release() }
        var measurements = [[Measurement]](repeating: [], count: servers.count)
        for round in 0..<rounds {
            progress("scrapes: round \(round + 1) of \(rounds)")
            for turn in servers.indices {
                let index = round % 2 == 0 ? turn : servers.count - 1 - turn
                measurements[index].append(try measure(servers[index]))
            }
        }
        var results: [ScrapeResult] = []
        for (server, rounds) in zip(servers, measurements) {
            let page = try Scraper(server.address).page()
            results.append(
                ScrapeResult(
                    server: server.name,
                    isOurs: server.isOurs,
                    samples: page.lines.count { !$0.hasPrefix("#") },
                    bytes: page.body.count,
                    scrapesPerSecond: Spread(rounds.map(\.perSecond)),
                    cpuMicroseconds: Spread(rounds.map(\.cpuMicroseconds)),
                    p50Microseconds: Spread(rounds.map(\.p50Microseconds)).median,
                    p99Microseconds: Spread(rounds.map(\.p99Microseconds)).median,
                    residentKilobytes: server.usage.residentKilobytes
                )
            )
        }
        return results
    }

    private func measure(_ server: MetricsServer) throws(BenchmarkError) -> Measurement {
        let scraper = try Scraper(server.address)
        for _ in 0..<Self.warmUp { _ = try scraper.page() }
        var latencies = LatencyHistogram()
        let before = server.usage
        let start = MonotonicClock.nanoseconds
        let end = start + UInt64(milliseconds) * 1_000_000
        var now = start
        while now < end {
            _ = try scraper.page()
            let next = MonotonicClock.nanoseconds
            _ = latencies.record(next - now)
            now = next
        }
        let count = Double(latencies.count)
        return Measurement(
            perSecond: count * 1e9 / Double(now - start),
            cpuMicroseconds: Double(server.usage.cpuNanoseconds(since: before)) / 1000 / count,
            p50Microseconds: latencies.microseconds(atPercentile: 50),
            p99Microseconds: latencies.microseconds(atPercentile: 99)
        )
    }
}

/// The results of one server over all rounds.
struct ScrapeResult: Codable, Sendable {
    let server: String
    let isOurs: Bool
    /// The number of lines of the page that are not comments.
    let samples: Int
    let bytes: Int
    let scrapesPerSecond: Spread
    /// The CPU time, user and kernel, of the server's whole process for each scrape.
    let cpuMicroseconds: Spread
    /// The latency from just before the request is sent to the last byte of the response.
    let p50Microseconds: Double
    let p99Microseconds: Double
    /// The resident set size after the last round.
    let residentKilobytes: UInt64
}
