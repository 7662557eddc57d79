internal import BenchmarkKit
internal import NetworkTestbed
internal import StreamTestbed

/// The targets, and whether they are met.
extension StreamReport {
    /// Compares what was measured with the targets; what is missing is not judged.
    mutating func judge() {
        verdicts = []
        // By the server's CPU time: what the machine has to do besides takes none of it.
        for row in fanOut where row.contender.isOurs && row.load == .window(FanOutBenchmark.window) {
            guard row.subscribers + row.stopped == 1000 else { continue }
            let stopped = row.stopped > 0 ? ", \(row.stopped) of them stopped" : ""
            verdicts.append(
                Verdict(
                    "lines per CPU second, 1000 subscribers\(stopped), \(row.contender.name)",
                    row.linesPerCPUSecond,
                    atLeast: 400_000
                )
            )
        }
        for row in fanOut where row.contender.isOurs && row.load == .paced(FanOutBenchmark.targetRate) {
            // What is left over is the time that the last event takes.
            verdicts.append(
                Verdict(
                    "lines/s, \(FanOutBenchmark.targetRate) events/s to 1000 subscribers, \(row.contender.name)",
                    row.linesPerSecond.median,
                    atLeast: 0.95 * Double(FanOutBenchmark.targetRate) * 1000
                )
            )
        }
        for row in edges where row.subscribers == 100 && row.edge == .defaultRoute {
            verdicts.append(
                Verdict(
                    "p99 us, route change to line, 100 subscribers, \(row.contender.name)",
                    row.p99Microseconds,
                    atMost: 1000
                )
            )
        }
        if !edges.isEmpty {
            verdicts.append(Verdict("missed edges", Double(edges.reduce(0) { $0 + $1.missed }), atMost: 0))
        }
        for row in replay where row.name.hasPrefix("subscribe") {
            verdicts.append(
                Verdict(
                    "replay MB/s, \(row.form.rawValue) journal, clients: \(row.clients)",
                    row.megabytesPerSecond.median,
                    atLeast: 200
                )
            )
        }
        if !replay.isEmpty {
            verdicts.append(
                Verdict("numbers out of order in a replay", Double(replay.reduce(0) { $0 + $1.faults }), atMost: 0)
            )
        }
    }
}
