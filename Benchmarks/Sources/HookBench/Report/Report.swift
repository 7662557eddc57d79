internal import BenchmarkKit
internal import NetworkTestbed

/// One row of the table.
struct HookRow: Codable, Sendable {
    let edge: Edge
    let contender: String
    let latency: LatencyStatistics
}

/// Everything that one run has measured.
struct Report: BenchmarkReport, Codable, Sendable {
    /// Changes when the meaning of a field does.
    var schema = 1
    var environment: HostEnvironment
    var rows: [HookRow] = []
    var verdicts: [Verdict] = []

    init(environment: HostEnvironment) { self.environment = environment }

    /// For people.
    var text: String {
        var table = TextTable(["edge, contender", "n", "missed", "p50", "p99", "max", "over posix_spawn, p50"])
        for row in rows {
            let floor = rows.first { $0.edge == row.edge && $0.contender == "message, posix_spawn" }?.latency.p50
            table.add([
                "\(row.edge.rawValue), \(row.contender)", "\(row.latency.count)", "\(row.latency.missed)",
                Figure.text(row.latency.p50, digits: 0), Figure.text(row.latency.p99, digits: 0),
                Figure.text(row.latency.max, digits: 0),
                floor.map { Figure.text(row.latency.p50 - $0, digits: 0) } ?? "",
            ])
        }
        return """
            \(environment.text)

            From the request that makes the edge to the program's first instruction (µs)
            \(table.text)

            Targets
            \(Verdict.table(verdicts))
            """
    }

    /// Compares what was measured with the targets.
    mutating func judge() {
        verdicts = []
        for row in rows where row.contender == Contender.agentName {
            for (name, value) in [("p50", row.latency.p50), ("p99", row.latency.p99)] {
                verdicts.append(
                    Verdict("\(row.edge.rawValue), \(name), ms", value / 1000, atMost: Self.maximumMilliseconds)
                )
            }
            verdicts.append(Verdict("\(row.edge.rawValue), missed edges", Double(row.latency.missed), atMost: 0))
        }
    }

    /// A compiled hook without settle times.
    private static let maximumMilliseconds = 3.0
}
