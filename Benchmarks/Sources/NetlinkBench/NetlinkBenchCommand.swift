internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// `netlink-bench`: the agent beside `ip -o monitor`, in one run on one machine.
@main
struct NetlinkBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "netlink-bench",
        abstract: "Measure the agent's latency and cost beside 'ip -o monitor'.",
        discussion: """
            Works in network namespaces of its own and leaves nothing behind. Needs iproute2, and root or user namespaces.
            With --check the status is 1 when a target is missed.
            """,
        subcommands: [MeasureCommand.self, FloodCommand.self],
        defaultSubcommand: MeasureCommand.self
    )
}

/// A part of the benchmark.
enum Part: String, CaseIterable, ExpressibleByArgument {
    case latency, flood, churn, idle
}

/// Measures, and prints the report.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "measure", abstract: "Measure, and print the report.")

    @Option(help: ArgumentHelp("The agent's program.", valueName: "path"))
    var agent = "../.build/release/reachagent"

    @Option(help: "The number of timed edges of each kind for each listener.")
    var edges = 1000

    @Option(help: ArgumentHelp("The pause between two edges.", valueName: "microseconds"))
    var pause: UInt32 = 5000

    @Option(help: "The number of other links of the machine, as of containers, which no edge concerns.")
    var otherLinks = 0

    @Option(help: "The number of routes of a flood.")
    var routes = 200_000

    @Option(help: "The number of floods for the latency of each listener.")
    var floodPasses = 3

    @Option(help: "The measured time of the idle listeners.")
    var idleSeconds = 30

    @Option(
        help: ArgumentHelp(
            "Measure only these parts, separated by commas: latency,flood,churn,idle.",
            valueName: "parts"
        ),
        transform: Self.parts
    )
    var only: [Part] = Part.allCases

    @Flag(help: "Measure systemd-networkd's D-Bus signals too, where it is installed (root only).")
    var peers = false

    @OptionGroup var output: ReportOptions

    private static func parts(_ text: String) throws -> [Part] {
        try text.split(separator: ",").map { name in
            guard let part = Part(rawValue: String(name)) else {
                throw ValidationError("'\(name)' is none of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return part
        }
    }

    func validate() throws {
        guard 1...1_000_000 ~= edges else { throw ValidationError("--edges must be from 1 to 1000000") }
        guard 0...1_000_000 ~= pause else { throw ValidationError("--pause must be from 0 to 1000000") }
        guard 0...10_000 ~= otherLinks else { throw ValidationError("--other-links must be from 0 to 10000") }
        guard 1...4_000_000 ~= routes else { throw ValidationError("--routes must be from 1 to 4000000") }
        guard 1...100 ~= floodPasses else { throw ValidationError("--flood-passes must be from 1 to 100") }
        guard 1...3600 ~= idleSeconds else { throw ValidationError("--idle-seconds must be from 1 to 3600") }
    }

    func run() throws { try output.print(of: "netlink-bench", measure) }

    private func measure() throws(BenchmarkError) -> Report {
        guard access(agent, X_OK) == 0 else {
            throw BenchmarkError(
                "run the agent '\(agent)'",
                cause: "no such program; build it (swift build -c release --product reachagent) and pass --agent"
            )
        }
        let ip = try IPCommand()
        var report = Report(environment: try HostEnvironment(agentPath: agent, ip: ip), otherLinks: otherLinks)
        let testbed = try Testbed(ip: ip, pauseMicroseconds: pause, otherLinks: otherLinks)
        let listener = Listener.agent(agent)
        let progress: (String) -> Void = { Output.tell($0) }
        for part in Part.allCases where only.contains(part) {
            switch part {
            case .latency:
                let benchmark = LatencyBenchmark(testbed: testbed, agent: listener, ip: ip, edges: edges)
                report.latency = try benchmark.run(progress: progress)
            case .flood:
                let benchmark = FloodBenchmark(
                    testbed: testbed,
                    agent: listener,
                    ip: ip,
                    routes: routes,
                    passes: floodPasses
                )
                report.flood = try benchmark.run(progress: progress)
            case .churn:
                let benchmark = ChurnBenchmark(testbed: testbed, agent: listener, ip: ip, routes: routes)
                report.churn = try benchmark.run(progress: progress)
            case .idle:
                let benchmark = IdleBenchmark(testbed: testbed, agent: listener, ip: ip, seconds: idleSeconds)
                report.idle = try benchmark.run(progress: progress)
            }
        }
        if peers {
            let results = try PeerBenchmark(testbed: testbed, edges: min(edges, 200)).run(progress: progress)
            // Next to the rows with which it is compared.
            report.latency = (report.latency ?? []) + results
        }
        report.environment.loadAfter = Host.load
        report.judge()
        return report
    }
}
