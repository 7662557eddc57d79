internal import BenchmarkKit

/// The results of one run.
struct TransferBenchReport: BenchmarkReport, Codable, Sendable {
    private enum Target {
        static let cpuOverCurl = 1.3
        static let latenessMilliseconds = 20.0
        /// The share of the checks that may be under way at the beginning and the end, or moved by the jitter.
        static let missingChecks = 0.05
        /// The maximum peak resident set size; a process that buffered the whole payload would exceed it.
        static let residentKilobytes = 64.0 * 1024
    }

    /// The version of the schema, which changes when the meaning of a field does.
    var schema = 2
    var curlVersion: String
    var serverVersion: String
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    /// The machine's load averages before the run, which reveal other activity.
    var loadBefore = Host.load
    var loadAfter = ""
    var transfers: [TransferMeasurement] = []
    var lateness: [LatenessMeasurement] = []
    var verdicts: [Verdict] = []

    init(curlVersion: String, serverVersion: String) {
        self.curlVersion = curlVersion
        self.serverVersion = serverVersion
    }

    /// Compares the figures with the targets.
    mutating func judge() {
        verdicts = []
        for scenario in Scenario.allCases {
            let ours = transfers.first { $0.scenario == scenario && $0.contender == .probes }
            let curl = transfers.first { $0.scenario == scenario && $0.contender == .curl }
            guard let ours, let curl else { continue }
            let ratio = ours.cpuSecondsPerGigabyte / curl.cpuSecondsPerGigabyte
            verdicts.append(Verdict("\(scenario.rawValue): CPU over curl's", ratio, atMost: Target.cpuOverCurl))
            let resident = Double(ours.peakResidentKilobytes)
            verdicts.append(Verdict("\(scenario.rawValue): peak RSS, kB", resident, atMost: Target.residentKilobytes))
        }
        for result in lateness where result.isBesideTransfer {
            let limit = Target.latenessMilliseconds
            verdicts.append(
                Verdict("checks beside a transfer: lateness p99, ms", result.p99Milliseconds, atMost: limit)
            )
            let missing = 1 - Double(result.checks) / Double(max(1, result.expectedChecks))
            verdicts.append(
                Verdict("checks beside a transfer: share not made", max(0, missing), atMost: Target.missingChecks)
            )
            verdicts.append(Verdict("checks beside a transfer: failed", Double(result.failures), atMost: 0))
        }
    }
}

/// The report for people.
extension TransferBenchReport {
    var text: String {
        var costs = TextTable(["transfer", "by", "MB", "CPU s/GB", "Gbit/s", "peak RSS kB"])
        for row in transfers {
            costs.add([
                row.scenario.rawValue, row.contender.rawValue, "\(row.bytes / 1_000_000)",
                Figure.text(row.cpuSecondsPerGigabyte, digits: 3), Figure.text(row.gigabitsPerSecond, digits: 2),
                "\(row.peakResidentKilobytes)",
            ])
        }
        var checks = TextTable(["checks", "n", "due", "late p50 ms", "p99 ms", "max ms", "failed"])
        for row in lateness {
            checks.add([
                row.isBesideTransfer ? "beside a transfer" : "alone", "\(row.checks)", "\(row.expectedChecks)",
                Figure.text(row.p50Milliseconds, digits: 3), Figure.text(row.p99Milliseconds, digits: 3),
                Figure.text(row.maxMilliseconds, digits: 3), "\(row.failures)",
            ])
        }
        let environment = """
            Linux \(kernel), \(cores) x \(cpu)
            \(curlVersion)
            \(serverVersion)
            load \(loadBefore) before, \(loadAfter) after
            """
        return [environment, costs.text, checks.text, "Targets\n" + Verdict.table(verdicts)].joined(separator: "\n\n")
    }
}
