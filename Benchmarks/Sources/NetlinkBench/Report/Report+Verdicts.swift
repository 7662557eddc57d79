internal import BenchmarkKit
internal import NetworkTestbed

/// The targets, and whether the agent, whose rows are found by its name, meets them.
extension Report {
    private enum Target {
        /// The agent's p50 over that of `ip -o monitor`.
        static let latencyRatio = 1.5
        /// The agent's CPU time over that of `ip -o monitor route`.
        static let churnRatio = 0.02
        /// The growth that counts as unchanged: a few pages may be touched for the first time at any moment.
        static let residentGrowthKilobytes = 64.0
        static let wakeUps = 0.0
    }

    /// Compares the results with the targets.
    mutating func judge() {
        let agent = Listener.agentName
        verdicts = []
        for (title, rows) in [("p50", latency ?? []), ("p50 in the flood", flood ?? [])] {
            for own in rows where own.listener == agent {
                for other in rows where other.edge == own.edge && Self.isReference(other) {
                    verdicts.append(
                        Verdict(
                            "\(title), \(own.edge.rawValue), over '\(other.listener)'",
                            own.latency.p50 / other.latency.p50,
                            atMost: Target.latencyRatio
                        )
                    )
                }
                verdicts.append(
                    Verdict("\(title), \(own.edge.rawValue): missed edges", Double(own.latency.missed), atMost: 0)
                )
            }
        }
        judgeChurn(agent)
        for own in idle ?? [] where own.listener == agent {
            verdicts.append(Verdict("wake-ups while idle", Double(own.wakeUps), atMost: Target.wakeUps))
        }
    }

    /// Returns a Boolean value that indicates whether a row is the reference of the comparison.
    ///
    /// The reference is `ip -o monitor` for only those objects whose messages report the edge. With "link route" the
    /// edge queues behind every route of a flood, and the agent would beat it easily.
    private static func isReference(_ row: LatencyResult) -> Bool {
        row.listener == "ip -o monitor link" || row.listener == "ip -o monitor route"
    }

    private mutating func judgeChurn(_ agent: String) {
        for own in churn ?? [] where own.listener == agent {
            for other in churn ?? [] where other.listener != agent {
                verdicts.append(
                    Verdict(
                        "CPU under route churn, over '\(other.listener)'",
                        own.cpuSeconds / other.cpuSeconds,
                        atMost: Target.churnRatio
                    )
                )
            }
            let growth = Double(own.residentKilobytesAfter) - Double(own.residentKilobytesBefore)
            verdicts.append(Verdict("RSS growth under route churn, kB", growth, atMost: Target.residentGrowthKilobytes))
        }
    }
}
