internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import WebTestbed

/// Runs every transfer by us and by curl in turns, each in a process of its own, and reports.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the transfers one after another, and report.",
        discussion: """
            Everything runs on the loopback interface against an nginx of its own, and leaves nothing behind. With --check \
            the status is 1 when a target is missed.
            """
    )

    @Option(help: "The megabytes of a download.")
    var megabytes = 1000

    @Option(help: "The megabytes of an upload, for which nginx writes a temporary file.")
    var uploadMegabytes = 200

    @Option(help: "The rounds; the report has medians.")
    var rounds = 3

    @Option(help: "The checks per second beside a transfer.")
    var probes = 100

    @Option(help: "The seconds for which they are measured; 0 leaves that out.")
    var seconds = 15

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard 1...10_000 ~= megabytes, 1...10_000 ~= uploadMegabytes else {
            throw ValidationError("--megabytes and --upload-megabytes must be from 1 to 10000")
        }
        guard 1...100 ~= rounds else { throw ValidationError("--rounds must be from 1 to 100") }
        guard 1...1000 ~= probes, 0...3600 ~= seconds else {
            throw ValidationError("--probes must be from 1 to 1000, and --seconds at most 3600")
        }
    }

    func run() throws { try output.print(of: "transfer-bench", measure) }

    private func measure() throws(BenchmarkError) -> TransferBenchReport {
        guard let nginx = Executable.find("nginx") else {
            throw BenchmarkError("find 'nginx'", cause: "it is not installed (apt-get install nginx-light)")
        }
        guard let curl = Executable.find("curl") else {
            throw BenchmarkError("find 'curl'", cause: "it is not installed (apt-get install curl)")
        }
        let directory = try TemporaryDirectory("transfer-bench")
        let certificates = try ServerCertificates(in: directory)
        let server = try ObjectServer(nginx, certificates: certificates, in: directory)
        var report = TransferBenchReport(
            curlVersion: try Executable.firstLine(curl, ["--version"]),
            serverVersion: try Executable.firstLine(nginx, ["-v"])
        )
        for scenario in Scenario.allCases {
            let bytes = (scenario.isUpload ? uploadMegabytes : megabytes) * 1_000_000
            var turns: [Contender: [ProgramRun]] = [:]
            for round in 0..<rounds {
                Output.tell("\(scenario.rawValue): round \(round + 1) of \(rounds)")
                let order = round % 2 == 0 ? Contender.allCases : Contender.allCases.reversed()
                for contender in order {
                    let path = contender == .curl ? curl : "/proc/self/exe"
                    let arguments = try contender.arguments(scenario, bytes, server, certificates, in: directory)
                    let run = try ProgramRun(path, arguments, outputFile: directory.path(of: "output"))
                    guard run.output.split(separator: "\n").last.flatMap({ Int($0) }) == bytes else {
                        throw BenchmarkError("\(scenario.rawValue) by \(contender.rawValue)", cause: run.output)
                    }
                    turns[contender, default: []].append(run)
                }
            }
            for contender in Contender.allCases {
                report.transfers.append(TransferMeasurement(scenario, contender, bytes, turns[contender] ?? []))
            }
        }
        if seconds > 0 {
            // A single process serves one fast connection until that cannot take more, and small ones after it.
            let checksDirectory = try TemporaryDirectory("transfer-bench-checks")
            let checksServer = try ObjectServer(nginx, certificates: certificates, in: checksDirectory)
            report.lateness = try lateness(server, checksServer, certificates, in: directory)
        }
        report.loadAfter = Host.load
        report.judge()
        return report
    }

    private func lateness(
        _ server: ObjectServer,
        _ checksServer: ObjectServer,
        _ certificates: ServerCertificates,
        in directory: TemporaryDirectory
    ) throws(BenchmarkError) -> [LatenessMeasurement] {
        var measurements: [LatenessMeasurement] = []
        for more in [[], ["--transfers"]] {
            Output.tell("\(probes) checks per second\(more.isEmpty ? "" : " beside a transfer")")
            let run = try ProgramRun(
                "/proc/self/exe",
                [
                    "lateness", "--origin", server.secure, "--checks-origin", checksServer.secure, "--ca-file",
                    certificates.rootFile, "--probes", "\(probes)", "--seconds", "\(seconds)",
                ] + more,
                outputFile: directory.path(of: "output")
            )
            measurements.append(try LatenessMeasurement(text: run.output))
        }
        return measurements
    }
}
