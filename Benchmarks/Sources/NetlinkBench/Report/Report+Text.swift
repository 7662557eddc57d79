internal import BenchmarkKit
internal import NetworkTestbed

/// The report for people.
extension Report {
    /// Every part as a table, the targets last.
    var text: String {
        var parts = [environment.text + (otherLinks == 0 ? "" : "\n\(otherLinks) other links")]
        if let latency { parts.append("Latency, idle network (µs)\n" + Self.table(latency)) }
        if let flood {
            parts.append("Latency of the carrier's edges during a flood of routes (µs)\n" + Self.table(flood))
        }
        if let churn { parts.append("Cost of the flood: routes added, then deleted\n" + Self.table(churn)) }
        if let idle { parts.append("Idle\n" + Self.table(idle)) }
        if !verdicts.isEmpty { parts.append("Targets\n" + Verdict.table(verdicts)) }
        return parts.joined(separator: "\n\n")
    }

    private static func table(_ rows: [LatencyResult]) -> String {
        let agent = Listener.agentName
        var table = TextTable(["edge, listener", "n", "missed", "p50", "p99", "max", "CPU/edge", "agent/it p50", "p99"])
        for row in rows {
            let own = rows.first { $0.edge == row.edge && $0.listener == agent }?.latency
            func ratio(_ value: KeyPath<LatencyStatistics, Double>) -> String {
                guard row.listener != agent, let own else { return "" }
                return Figure.text(own[keyPath: value] / row.latency[keyPath: value], digits: 2)
            }
            table.add([
                "\(row.edge.rawValue), \(row.listener)", "\(row.latency.count)", "\(row.latency.missed)",
                Figure.text(row.latency.p50, digits: 1), Figure.text(row.latency.p99, digits: 1),
                Figure.text(row.latency.max, digits: 1),
                row.cpuMicrosecondsPerEdge.map { Figure.text($0, digits: 0) } ?? "",
                ratio(\.p50), ratio(\.p99),
            ])
        }
        return table.text
    }

    private static func table(_ rows: [ChurnResult]) -> String {
        var table = TextTable(["listener", "CPU s", "RSS kB", "after", "dirty kB", "after", "edges told afterwards"])
        for row in rows {
            table.add([
                row.listener, Figure.text(row.cpuSeconds, digits: 4),
                "\(row.residentKilobytesBefore)", "\(row.residentKilobytesAfter)",
                "\(row.privateDirtyKilobytesBefore)", "\(row.privateDirtyKilobytesAfter)",
                row.isRightAfterwards.map { $0 ? "yes" : "no" } ?? "",
            ])
        }
        return table.text
    }

    private static func table(_ rows: [IdleResult]) -> String {
        var table = TextTable(["listener", "wake-ups", "CPU µs", "RSS kB", "dirty kB"])
        for row in rows {
            table.add([
                row.listener, "\(row.wakeUps)", Figure.text(row.cpuMicroseconds, digits: 0), "\(row.residentKilobytes)",
                "\(row.privateDirtyKilobytes)",
            ])
        }
        return table.text
    }
}
