internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import NetworkTestbed
internal import StreamTestbed
internal import WebTestbed

/// `http-bench`: the agent's HTTP server beside exporters, beside its other sockets, and beside an agent without a port.
@main
struct HTTPBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-bench",
        abstract: "Measure scrapes of /metrics, streams of /events, and an idle agent with a port.",
        discussion: """
            Servers run on the first CPU, their clients on the second. A peer that is not installed is reported as missing. \
            Needs iproute2 and nginx, and root or user namespaces. With --check the status is 1 when a target is missed.
            """
    )

    enum Part: String, CaseIterable { case scrapes, streams, idle }

    @Option(help: ArgumentHelp("The agent's program.", valueName: "path"))
    var agent = "../.build/release/reachagent"

    @Option(help: ArgumentHelp("Our load program; the one beside this program unless given.", valueName: "path"))
    var streamLoad: String?

    @Option(help: "The number of probes of the scraped agent.")
    var probes = 12

    @Option(help: "The number of event streams.")
    var streams = 1000

    @Option(help: "The number of rounds; the report has medians.")
    var rounds = 5

    @Option(
        help: ArgumentHelp(
            "The measured time of each server in a round; twice that for paced streams.",
            valueName: "ms"
        )
    )
    var milliseconds = 1000

    @Option(help: "The number of idle agents of each kind.")
    var agents = 5

    @Option(help: "The measured time of the idle agents.")
    var idleSeconds = 60

    @Option(help: "The time to come to rest before that; the next request of a client is awaited for 30 s.")
    var settleSeconds = 35

    @Option(
        help: ArgumentHelp("Measure only these: scrapes,streams,idle.", valueName: "names"),
        transform: { text in
            try text.split(separator: ",").map { name in
                guard let part = Part(rawValue: String(name)) else { throw ValidationError("'\(name)' is no part") }
                return part
            }
        }
    )
    var only = Part.allCases

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard 1...1000 ~= probes else { throw ValidationError("--probes must be from 1 to 1000") }
        guard 1...4000 ~= streams else { throw ValidationError("--streams must be from 1 to 4000") }
        guard 1...1000 ~= rounds else { throw ValidationError("--rounds must be from 1 to 1000") }
        guard 100...60_000 ~= milliseconds else { throw ValidationError("--milliseconds must be from 100 to 60000") }
        guard 1...100 ~= agents else { throw ValidationError("--agents must be from 1 to 100") }
        guard 1...86_400 ~= idleSeconds else { throw ValidationError("--idle-seconds must be from 1 to 86400") }
        guard 0...3600 ~= settleSeconds else { throw ValidationError("--settle-seconds must be from 0 to 3600") }
    }

    func run() throws { try output.print(of: "http-bench", measure) }

    private func measure() throws(BenchmarkError) -> HTTPReport {
        guard access(agent, X_OK) == 0 else {
            throw BenchmarkError("find \(agent)", cause: "it is not built; --agent names another one")
        }
        try BenchmarkError.check(testbed_raise_file_limit(), "raise the limit of open files")
        let ip = try IPCommand()
        var report = HTTPReport(
            environment: try HostEnvironment(agentPath: agent, ip: ip),
            probes: probes,
            idleSeconds: idleSeconds
        )
        // Keeps the namespace, and its cable, for as long as it is measured in.
        let testbed = try Testbed(ip: ip, pauseMicroseconds: 0)
        defer { withExtendedLifetime(testbed) {} }
        try ScrapedAgent.addUplink(ip)
        if only.contains(.scrapes) { try measureScrapes(&report) }
        if only.contains(.streams) {
            let benchmark = FanOutBenchmark(
                program: try LoadProgram(streamLoad),
                directory: try TemporaryDirectory("http-bench"),
                milliseconds: milliseconds,
                rounds: rounds,
                contenders: [.events, .http],
                loads: [
                    .window(FanOutBenchmark.window), .window(1), .paced(FanOutBenchmark.pacedRate),
                    .paced(FanOutBenchmark.targetRate),
                ],
                subscriberCounts: [streams]
            )
            report.streams = try benchmark.run { Output.tell($0) }
        }
        if only.contains(.idle) {
            let idle = IdleBenchmark(
                agent: agent,
                agents: agents,
                settleSeconds: settleSeconds,
                seconds: idleSeconds,
                directory: try TemporaryDirectory("http-bench")
            )
            report.idle = try idle.run { Output.tell($0) }
        }
        report.environment.loadAfter = Host.load
        report.judge()
        return report
    }

    private func measureScrapes(_ report: inout HTTPReport) throws(BenchmarkError) {
        guard let nginx = Executable.find("nginx") else {
            throw BenchmarkError("find 'nginx'", cause: "it is not installed (apt-get install nginx-light)")
        }
        let directory = try TemporaryDirectory("http-bench")
        let certificates = try ServerCertificates(in: directory)
        let server = try NginxServer(nginx, certificates: certificates, in: directory)
        var servers = try ScrapedAgent(agent, probes: probes, of: server, certificates, in: directory).servers
        for exporter in Exporter.allCases {
            report.peers[exporter.rawValue] = try exporter.version()
            if let started = try exporter.start(in: directory) { servers.append(started) }
        }
        let benchmark = ScrapeBenchmark(milliseconds: milliseconds, rounds: rounds)
        report.scrapes = try benchmark.run(servers) { Output.tell($0) }
    }
}
