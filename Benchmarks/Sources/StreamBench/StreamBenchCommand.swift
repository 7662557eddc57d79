internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import NetworkTestbed
internal import StreamTestbed

/// `stream-bench`: what the journal and the sockets can do, beside the floors below them and peers.
@main
struct StreamBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream-bench",
        abstract: "Measure the fan-out of events, the journal, and replaying it.",
        discussion: """
            Servers run on the first CPU, subscribers on the second. A peer that is not installed is reported as missing. \
            With --check the status is 1 when a target is missed.
            """
    )

    enum Part: String, CaseIterable {
        case fanOut = "fan-out"
        case edges, journal, replay, history
    }

    @Option(help: ArgumentHelp("The agent's program.", valueName: "path"))
    var agent = "../.build/release/reachagent"

    @Option(help: ArgumentHelp("Our load program; the one beside this program unless given.", valueName: "path"))
    var streamLoad: String?

    @Option(help: ArgumentHelp("Where journals are written: on a disk, as a rule.", valueName: "path"))
    var directory = "/var/tmp"

    @Option(help: "The number of rounds; the report has medians.")
    var rounds = 3

    @Option(
        help: ArgumentHelp(
            "The time of each fan-out and recording; twice that when it is paced.",
            valueName: "ms"
        )
    )
    var milliseconds = 500

    @Option(help: "The number of edges of each kind.")
    var edges = 300

    @Option(help: "The number of events in the replayed journal.")
    var events: UInt64 = 1_000_000

    @Option(
        help: ArgumentHelp("Measure only these: fan-out,edges,journal,replay,history.", valueName: "names"),
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
        guard 1...1000 ~= rounds else { throw ValidationError("--rounds must be from 1 to 1000") }
        guard 100...60_000 ~= milliseconds else { throw ValidationError("--milliseconds must be from 100 to 60000") }
        guard 1...100_000 ~= edges else { throw ValidationError("--edges must be from 1 to 100000") }
        guard 1000...100_000_000 ~= events else { throw ValidationError("--events must be from 1000 to 100000000") }
    }

    func run() throws { try output.print(of: "stream-bench", measure) }

    private func measure() throws(BenchmarkError) -> StreamReport {
        try BenchmarkError.check(testbed_raise_file_limit(), "raise the limit of open files")
        let program = try LoadProgram(streamLoad)
        var report = StreamReport(directory: directory)
        // First, because a user namespace wants a process that has one thread.
        let testbed = only.contains(.edges) ? try Testbed(ip: IPCommand(), pauseMicroseconds: 4000) : nil
        let sockets = try TemporaryDirectory("stream-bench")
        let disk = try TemporaryDirectory("stream-bench", in: directory)
        if only.contains(.fanOut) { try measureFanOut(program, sockets, &report) }
        if let testbed {
            try needsAgent()
            let edges = EdgeBenchmark(
                agent: agent,
                testbed: testbed,
                sockets: sockets,
                disk: disk,
                edges: edges
            )
            report.edges = try edges.run { Output.tell($0) }
        }
        if only.contains(.journal) {
            let recording = RecordingBenchmark(
                program: program,
                directory: disk,
                milliseconds: milliseconds,
                rounds: rounds
            )
            report.recording = try recording.run { Output.tell($0) }
        }
        for form in SampleJournal.Storage.allCases where only.contains(.replay) || only.contains(.history) {
            if form == .compressed, Executable.find("zstd") == nil { report.peers["zstd"] = "it is not installed" }
            Output.tell("writing a journal of \(events) events, \(form.rawValue)")
            let journal = try SampleJournal(form, count: events, program, in: disk)
            if only.contains(.history) {
                try needsAgent()
                report.history += try HistoryBenchmark(agent: agent, journal: journal).run { Output.tell($0) }
            }
            if only.contains(.replay) {
                let replay = ReplayBenchmark(program: program, directory: sockets, journal: journal, rounds: rounds)
                report.replay += try replay.run { Output.tell($0) }
            }
        }
        report.loadAfter = Host.load
        report.judge()
        return report
    }

    private func measureFanOut(
        _ program: LoadProgram,
        _ directory: TemporaryDirectory,
        _ report: inout StreamReport
    ) throws(BenchmarkError) {
        let redisServer = Executable.find("redis-server")
        report.peers["redis"] =
            try redisServer.map { path throws(BenchmarkError) in try Executable.firstLine(path, ["--version"]) }
            ?? "it is not installed (apt-get install redis-server)"
        let benchmark = FanOutBenchmark(
            program: program,
            redisServer: redisServer,
            directory: directory,
            milliseconds: milliseconds,
            rounds: rounds,
            contenders: [.events, .control, .writeLoop] + (redisServer == nil ? [] : [.redis])
        )
        report.fanOut = try benchmark.run { Output.tell($0) }
    }

    private func needsAgent() throws(BenchmarkError) {
        guard access(agent, X_OK) == 0 else {
            throw BenchmarkError("find \(agent)", cause: "it is not built; --agent names another one")
        }
    }
}
