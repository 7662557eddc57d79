internal import BenchmarkKit
internal import StreamTestbed

/// The targets, and whether they are met.
extension HTTPReport {
    private enum Target {
        static let scrape = 1.0
        static let stream = 0.6
        static let idleKilobytes = 500.0
        static let wakeUps = 0.0
    }

    /// Compares what was measured with the targets; what is missing is not judged.
    mutating func judge() {
        verdicts = []
        for row in scrapes where row.isOurs {
            guard let node = scrapes.first(where: { $0.server.hasPrefix(Exporter.node.rawValue) }) else { continue }
            verdicts.append(
                Verdict(
                    "CPU for a scrape over node_exporter's, \(row.server)",
                    row.cpuMicroseconds.median / node.cpuMicroseconds.median,
                    atMost: Target.scrape
                )
            )
        }
        for row in streams where row.contender == .http {
            guard case .window(let window) = row.load, row.stopped == 0 else { continue }
            verdicts.append(
                Verdict(
                    "lines per CPU second over events.sock's, \(row.subscribers) streams, window \(window)",
                    ratioToEvents(row),
                    atLeast: Target.stream
                )
            )
        }
        guard let off = idle.first(where: { $0.port == .off }), let on = idle.first(where: { $0.port == .on }) else {
            return
        }
        verdicts += [
            Verdict(
                "RSS, idle with a port, kB more than without",
                on.residentKilobytes.median - off.residentKilobytes.median,
                atMost: Target.idleKilobytes
            ),
            Verdict(
                "private dirty memory, idle with a port, kB more than without",
                on.privateDirtyKilobytes.median - off.privateDirtyKilobytes.median,
                atMost: Target.idleKilobytes
            ),
            Verdict("wake-ups, idle with a port", Double(on.wakeUps), atMost: Target.wakeUps),
        ]
    }

    /// The lines per CPU second over those of events.sock under the same load.
    func ratioToEvents(_ row: FanOutResult) -> Double {
        let events = streams.first {
            $0.contender == .events && $0.subscribers == row.subscribers && $0.load == row.load
        }
        return row.linesPerCPUSecond / (events?.linesPerCPUSecond ?? .nan)
    }
}
