internal import BenchmarkKit

/// The report for people.
extension ProbeReport {
    /// A table for each concurrency, the targets last.
    var text: String {
        var parts = [environmentText]
        for concurrency in Set(results.map(\.concurrency)).sorted() { parts.append(table(concurrency)) }
        if !verdicts.isEmpty { parts.append("Targets\n" + Verdict.table(verdicts)) }
        return parts.joined(separator: "\n\n")
    }

    private var environmentText: String {
        var lines = [
            "Linux \(kernel), \(cores) x \(cpu), \(memoryMegabytes) MB", "server: \(server)",
        ]
        for contender in Contender.allCases {
            if let version = versions[contender.rawValue] { lines.append("\(contender.name): \(version)") }
            if let reason = missing[contender.rawValue] { lines.append("\(contender.name): \(reason)") }
        }
        lines.append("load \(loadBefore) before, \(loadAfter) after")
        return lines.joined(separator: "\n")
    }

    private func table(_ concurrency: Int) -> String {
        var table = TextTable([
            "CPU ms per probe:", "median", "lowest", "highest", "ours/it", "anew/it", "probes/s", "p50 ms", "p99 ms",
            "peak RSS kB", "failed",
        ])
        for row in results where row.concurrency == concurrency {
            func ratio(of own: Contender) -> String {
                guard row.contender != own, let result = result(own, concurrency: concurrency) else { return "" }
                return Figure.text(result.cpuMillisecondsPerProbe / row.cpuMillisecondsPerProbe, digits: 2)
            }
            table.add([
                row.contender.name,
                Figure.text(row.cpuMillisecondsPerProbe, digits: 3),
                Figure.text(row.lowestCPUMillisecondsPerProbe, digits: 3),
                Figure.text(row.highestCPUMillisecondsPerProbe, digits: 3),
                ratio(of: .probes), ratio(of: .probesAnew),
                Figure.text(row.probesPerSecond, digits: 0), Figure.text(row.p50Milliseconds, digits: 2),
                Figure.text(row.p99Milliseconds, digits: 2), "\(row.peakResidentKilobytes)", "\(row.failures)",
            ])
        }
        let failures = results.compactMap { row in
            row.concurrency == concurrency ? row.failure.map { "  \(row.contender.name): \($0)" } : nil
        }
        let rounds = results.lazy.map(\.rounds.count).max() ?? 0
        let title = "Concurrency \(concurrency), \(rounds) rounds of \(probesPerRound) probes"
        return ([title, table.text] + failures).joined(separator: "\n")
    }
}
