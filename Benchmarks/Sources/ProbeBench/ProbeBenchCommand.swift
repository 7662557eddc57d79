internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import WebTestbed

/// `probe-bench`: our probes beside curl's, Go's and blackbox_exporter's, in one run on one machine.
@main
struct ProbeBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe-bench",
        abstract: "Measure what full HTTPS probes cost, beside curl, Go's net/http and blackbox_exporter.",
        discussion: """
            Everything runs on the loopback interface against an nginx of its own, and leaves nothing behind. A peer that
            is not installed is reported as missing. With --check the status is 1 when a target is missed.
            """
    )

    @Option(help: "The number of probes of each contender in a round.")
    var probes = 2000

    @Option(help: "The number of probes before them that do not count, where the contender can tell them apart.")
    var warmUp = 200

    @Option(help: "The number of rounds; the report has medians.")
    var rounds = 5

    @Option(
        help: ArgumentHelp("The numbers of concurrent probes, separated by commas.", valueName: "n,n"),
        transform: Self.concurrencies
    )
    var concurrency = [1, 32]

    @Option(
        help: ArgumentHelp(
            "Measure only these, separated by commas: probes,probes-anew,curl,go,go-1,blackbox.",
            valueName: "names"
        ),
        transform: Self.contenders
    )
    var only = Contender.allCases

    @Option(help: ArgumentHelp("Our load program; the one beside this program unless given.", valueName: "path"))
    var probeLoad: String?

    @Option(help: ArgumentHelp("The directory with the peers' sources.", valueName: "path"))
    var peers = "Peers"

    @OptionGroup var output: ReportOptions

    private static func contenders(_ text: String) throws -> [Contender] {
        try text.split(separator: ",").map { name in
            guard let contender = Contender(rawValue: String(name)) else {
                let all = Contender.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(name)' is none of \(all)")
            }
            return contender
        }
    }

    private static func concurrencies(_ text: String) throws -> [Int] {
        try text.split(separator: ",").map { number in
            guard let value = Int(number), 1...512 ~= value else {
                throw ValidationError("'\(number)' is not a number from 1 to 512")
            }
            return value
        }
    }

    func validate() throws {
        guard 1...1_000_000 ~= probes else { throw ValidationError("--probes must be from 1 to 1000000") }
        guard 0...1_000_000 ~= warmUp else { throw ValidationError("--warm-up must be from 0 to 1000000") }
        guard 1...1000 ~= rounds else { throw ValidationError("--rounds must be from 1 to 1000") }
    }

    func run() throws { try output.print(of: "probe-bench", measure) }

    private func measure() throws(BenchmarkError) -> ProbeReport {
        guard let nginx = Executable.find("nginx") else {
            throw BenchmarkError("find 'nginx'", cause: "it is not installed (apt-get install nginx-light)")
        }
        let directory = try TemporaryDirectory("probe-bench")
        let certificates = try ServerCertificates(in: directory)
        let server = try NginxServer(nginx, certificates: certificates, in: directory)
        let lineUp = try LineUp(only, probeLoad: probeLoad, peersDirectory: peers, directory: directory)
        var report = ProbeReport(
            lineUp: lineUp,
            serverVersion: try Executable.firstLine(nginx, ["-v"]),
            probesPerRound: probes
        )
        for concurrency in concurrency {
            let load = Load(
                url: server.url,
                caFile: certificates.rootFile,
                count: probes,
                warmUp: warmUp,
                concurrency: concurrency
            )
            report.results += try lineUp.measure(load, rounds: rounds) { Output.tell($0) }
        }
        report.loadAfter = Host.load
        report.judge()
        return report
    }
}
