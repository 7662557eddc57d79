internal import BenchmarkKit
internal import Glibc

/// The time to find an event in the journal, from the start of the program to its first byte of output.
struct HistoryBenchmark {
    static let rounds = 9

    let agent: String
    let journal: SampleJournal

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [HistoryResult] {
        progress("history, \(journal.form.rawValue)")
        // Far enough from the beginning to make a scan expensive.
        let number = journal.count * 9 / 10
        let grep = "grep -m 1 -F '\"seq\":\(number + 1),'"
        let programs: [(name: String, path: String, arguments: [String])] = [
            (
                "reachagent history --since", agent,
                ["history", "--json", "--since", "\(number)", "--directory", journal.directory]
            ),
            (
                journal.form == .plain ? "cat | grep -m 1" : "zstd -dc | grep -m 1", "/bin/sh",
                ["-c", "{ \(journal.catCommand); } 2>/dev/null | \(grep)"]
            ),
        ]
        var results: [HistoryResult] = []
        for program in programs {
            var milliseconds: [Double] = []
            for _ in 0..<Self.rounds { milliseconds.append(try firstByte(of: program.path, program.arguments)) }
            results.append(HistoryResult(name: program.name, form: journal.form, milliseconds: Spread(milliseconds)))
        }
        return results
    }

    private func firstByte(of path: String, _ arguments: [String]) throws(BenchmarkError) -> Double {
        let pipe = try Pipe()
        let start = MonotonicClock.nanoseconds
        let child = try ChildProcess(path, arguments, output: pipe.writeEnd, error: STDERR_FILENO)
        pipe.closeWriteEnd()
        var byte: UInt8 = 0
        let count = read(pipe.readEnd, &byte, 1)
        let end = MonotonicClock.nanoseconds
        guard count == 1 else { throw BenchmarkError("run \(path)", cause: "it writes nothing") }
        child.stop()
        return Double(end - start) / 1e6
    }
}

/// The result of one program that finds an event.
struct HistoryResult: Codable, Sendable {
    let name: String
    let form: SampleJournal.Storage
    let milliseconds: Spread
}
