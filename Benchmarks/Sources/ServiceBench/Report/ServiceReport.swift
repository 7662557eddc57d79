internal import BenchmarkKit
internal import NetworkTestbed

/// Everything that one run has measured.
struct ServiceReport: BenchmarkReport, Codable, Sendable {
    private enum Target {
        static let startMilliseconds = 50.0
        static let residentMegabytes = 20.0
        /// One for the probe, and one every other minute for the watchdog.
        static let wakeUpsPerMinute = 2.0
    }

    /// Changes when the meaning of a field does.
    var schema = 1
    var environment: HostEnvironment
    let isInNamespace: Bool
    /// The size of the agent's program.
    let agentKilobytes: UInt64
    var start: [StartResult] = []
    var idle: [IdleResult] = []
    var verdicts: [Verdict] = []

    init(environment: HostEnvironment, isInNamespace: Bool, agentKilobytes: UInt64) {
        self.environment = environment
        self.isInNamespace = isInNamespace
        self.agentKilobytes = agentKilobytes
    }

    /// Compares what was measured with the targets; what is missing is not judged.
    mutating func judge() {
        verdicts = []
        for row in start where row.contender == Contender.agentName {
            verdicts.append(Verdict("exec to READY, p50, ms", row.latency.p50 / 1000, atMost: Target.startMilliseconds))
        }
        for row in idle where row.contender == Contender.agentName {
            // The kernel's kB are 1024 bytes.
            let resident = Double(row.residentKilobytes) * 1024 / 1e6
            verdicts.append(Verdict("RSS, idle with one probe, MB", resident, atMost: Target.residentMegabytes))
            verdicts.append(
                Verdict("wake-ups a minute, one probe at 60 s", row.wakeUpsPerMinute, atMost: Target.wakeUpsPerMinute)
            )
        }
    }
}

/// The report for people.
extension ServiceReport {
    var text: String {
        let place = isInNamespace ? "in a network namespace" : "in the machine's own network"
        var parts = [environment.text + "\n\(place); the agent's program has \(agentKilobytes) kB"]
        if !start.isEmpty { parts.append("From before fork(2) to ready (ms)\n" + startTable) }
        if !idle.isEmpty { parts.append("Idle\n" + idleTable) }
        if !verdicts.isEmpty { parts.append("Targets\n" + Verdict.table(verdicts)) }
        return parts.joined(separator: "\n\n")
    }

    private var startTable: String {
        var table = TextTable(["", "n", "p50", "p99", "max"])
        for row in start {
            let milliseconds = [row.latency.p50, row.latency.p99, row.latency.max].map { $0 / 1000 }
            table.add([row.contender, "\(row.latency.count)"] + milliseconds.map { Figure.text($0, digits: 1) })
        }
        return table.text
    }

    private var idleTable: String {
        var table = TextTable([
            "", "RSS kB", "PSS kB", "private kB", "dirty kB", "threads", "wake-ups/min", "switches/min", "CPU ms/min",
        ])
        for row in idle {
            table.add([
                row.contender, "\(row.residentKilobytes)", "\(row.proportionalKilobytes)", "\(row.privateKilobytes)",
                "\(row.privateDirtyKilobytes)", "\(row.threads)", Figure.text(row.wakeUpsPerMinute, digits: 1),
                Figure.text(row.switchesPerMinute, digits: 0), Figure.text(row.cpuMillisecondsPerMinute, digits: 1),
            ])
        }
        return table.text
    }
}
