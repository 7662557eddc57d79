internal import BenchmarkKit

/// The results of one run.
struct ScheduleReport: BenchmarkReport, Codable, Sendable {
    private enum Target {
        static let stubMilliseconds = 10.0
        static let stubCPUPercent = 25.0
        static let httpsMilliseconds = 20.0
        /// The scheduler's wake-up to start the check, and the stub transport's to finish it.
        static let wakeUpsPerRound = 3.0
    }

    /// The version of the schema, which changes when the meaning of a field does.
    var schema = 1
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    var memoryMegabytes = Host.memoryMegabytes
    /// The machine's load averages before the run, which reveal other activity.
    var loadBefore = Host.load
    var loadAfter = ""
    var results: [ScheduleMeasurement] = []
    var verdicts: [Verdict] = []

    /// Compares the results with the targets; missing results are not judged.
    mutating func judge() {
        verdicts = []
        for result in results where result.contender == .scheduler {
            let load = "\(result.probes) probes (\(result.name))"
            switch result.name {
            case "idle":
                let perRound = Double(result.wakeUps) / Double(max(1, result.checks))
                verdicts.append(Verdict("\(load): wake-ups per round", perRound, atMost: Target.wakeUpsPerRound))
                continue
            case "https":
                let limit = Target.httpsMilliseconds
                verdicts.append(Verdict("\(load): lateness p99, ms", result.p99Milliseconds, atMost: limit))
            default:
                let limit = Target.stubMilliseconds
                verdicts.append(Verdict("\(load): lateness p99, ms", result.p99Milliseconds, atMost: limit))
                verdicts.append(Verdict("\(load): CPU, %", result.cpuPercent, atMost: Target.stubCPUPercent))
            }
            let expected = Double(result.probes) * result.elapsedSeconds / Double(result.intervalSeconds)
            verdicts.append(Verdict("\(load): checks over expected", Double(result.checks) / expected, atLeast: 0.97))
            verdicts.append(Verdict("\(load): failed or left out", Double(result.failures + result.skipped), atMost: 0))
        }
    }
}

/// The report for people.
extension ScheduleReport {
    var text: String {
        var table = TextTable([
            "load", "by", "probes", "every s", "checks", "late p50 ms", "p99 ms", "max ms", "CPU %", "RSS kB",
            "wake-ups", "failed", "left out",
        ])
        for row in results {
            table.add([
                row.name, row.contender.name, "\(row.probes)", "\(row.intervalSeconds)", "\(row.checks)",
                Figure.text(row.p50Milliseconds, digits: 3), Figure.text(row.p99Milliseconds, digits: 3),
                Figure.text(row.maxMilliseconds, digits: 3), Figure.text(row.cpuPercent, digits: 2),
                "\(row.residentKilobytes)", "\(row.wakeUps)", "\(row.failures)", "\(row.skipped)",
            ])
        }
        let environment = """
            Linux \(kernel), \(cores) x \(cpu), \(memoryMegabytes) MB
            load \(loadBefore) before, \(loadAfter) after; each load has one CPU
            """
        return [environment, table.text, "Targets\n" + Verdict.table(verdicts)].joined(separator: "\n\n")
    }
}
