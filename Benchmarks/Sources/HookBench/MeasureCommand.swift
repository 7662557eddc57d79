internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// Measures, and prints the report.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "measure", abstract: "Measure, and print the report.")

    @Option(help: ArgumentHelp("The agent's program.", valueName: "path"))
    var agent = "../.build/release/reachagent"

    @Option(help: "The number of timed edges of each kind for each contender.")
    var edges = 500

    @Option(help: "The number of timed edges for ifplugd, which polls once a second; 0 to leave it out.")
    var slowEdges = 20

    @Option(help: ArgumentHelp("The pause between two edges.", valueName: "microseconds"))
    var pause: UInt32 = 20_000

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard 1...1_000_000 ~= edges else { throw ValidationError("--edges must be from 1 to 1000000") }
        guard 0...1_000_000 ~= slowEdges else { throw ValidationError("--slow-edges must be from 0 to 1000000") }
        guard 0...1_000_000 ~= pause else { throw ValidationError("--pause must be from 0 to 1000000") }
    }

    func run() throws { try output.print(of: "hook-bench", measure) }

    private func measure() throws(BenchmarkError) -> Report {
        guard access(agent, X_OK) == 0 else {
            throw BenchmarkError(
                "run the agent '\(agent)'",
                cause: "no such program; build it (swift build -c release) and pass --agent"
            )
        }
        let ip = try IPCommand()
        let directory = try TemporaryDirectory("hook-bench")
        let program = try HookProgram(in: directory)
        var report = Report(environment: try HostEnvironment(agentPath: agent, ip: ip))
        let benchmark = HookBenchmark(
            testbed: try Testbed(ip: ip, pauseMicroseconds: pause),
            runs: try HookRuns(at: program.fifo),
            progress: { Output.tell($0) }
        )
        for edge in Edge.allCases {
            let contenders = [
                Contender.message(edge), .spawn(program, edge), try .agent(agent, program, in: directory),
                .shell(ip, program, edge),
            ]
            report.rows += try benchmark.run(contenders, edge, edges: edges)
        }
        if slowEdges > 0, let ifplugd = Contender.ifplugd(program) {
            report.rows += try benchmark.run([ifplugd], .carrier, edges: slowEdges)
        } else if slowEdges > 0 {
            Output.tell("ifplugd: left out, as it is not installed or this is not root")
        }
        report.environment.loadAfter = Host.load
        report.judge()
        return report
    }
}
