internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// Lets every load run in a process of its own, on one core, and reports.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the loads one after the other, and report.",
        discussion: """
            The process that is measured has the first CPU for itself; nginx and everything else may use the others. With
            --check the status is 1 when a target is missed.
            """
    )

    @Option(help: "The number of probes with a stand-in for a transport.")
    var probes = 10_000

    @Option(help: "The number of HTTPS probes.")
    var httpsProbes = 1000

    @Option(help: "Every how many seconds each probe is made.")
    var interval = 10

    @Option(help: "The measured seconds of each load.")
    var seconds = 30

    @Option(help: "The seconds for a scheduler with one probe at 60 s; 0 to leave that out.")
    var idleSeconds = 65

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard 1...100_000 ~= probes, 0...100_000 ~= httpsProbes else {
            throw ValidationError("--probes and --https-probes must be at most 100000")
        }
        guard 1...3600 ~= interval, 1...3600 ~= seconds, 0...3600 ~= idleSeconds else {
            throw ValidationError("--interval, --seconds and --idle-seconds must be at most 3600")
        }
    }

    func run() throws { try output.print(of: "schedule-bench", measure) }

    private func measure() throws(BenchmarkError) -> ScheduleReport {
        let directory = try TemporaryDirectory("schedule-bench")
        var report = ScheduleReport()
        for contender in Contender.allCases {
            Output.tell("\(probes) probes with a stand-in: \(contender.name)")
            let load = ["--contender", contender.rawValue, "--probes", "\(probes)"]
            report.results.append(try measured(load + timing, named: "stub", directory))
        }
        if httpsProbes > 0, let nginx = Executable.find("nginx") {
            let certificates = try ServerCertificates(in: directory)
            let server = try NginxServer(nginx, certificates: certificates, in: directory)
            for contender in Contender.allCases {
                Output.tell("\(httpsProbes) HTTPS probes: \(contender.name)")
                let load = [
                    "--contender", contender.rawValue, "--probes", "\(httpsProbes)", "--url", server.url, "--ca-file",
                    certificates.rootFile,
                ]
                report.results.append(try measured(load + timing, named: "https", directory))
            }
        }
        if idleSeconds > 0 {
            Output.tell("one probe at 60 s: \(idleSeconds) s")
            let load = ["--contender", "scheduler", "--probes", "1", "--interval", "60", "--seconds", "\(idleSeconds)"]
            report.results.append(try measured(load, named: "idle", directory))
        }
        report.loadAfter = Host.load
        report.judge()
        return report
    }

    private var timing: [String] { ["--interval", "\(interval)", "--seconds", "\(seconds)"] }

    /// Runs this program once more, as the process that is measured.
    private func measured(
        _ arguments: [String],
        named name: String,
        _ directory: TemporaryDirectory
    ) throws(BenchmarkError) -> ScheduleMeasurement {
        let file = directory.path(of: "output")
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("write \(file)", errno: errno) }
        defer { close(descriptor) }
        let load = try ChildProcess(
            "/proc/self/exe",
            ["load", "--name", name] + arguments,
            output: descriptor,
            error: STDERR_FILENO
        )
        let status = load.waitForEnd()
        guard status == 0 else { throw BenchmarkError("run a load", cause: "it ended with status \(status)") }
        return try ScheduleMeasurement(line: ProcFile.read(file) ?? "")
    }
}
