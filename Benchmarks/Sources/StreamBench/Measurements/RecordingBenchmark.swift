internal import BenchmarkKit
internal import StreamTestbed

/// The throughput of recording events with each policy, compared with a file that is written and synced directly.
struct RecordingBenchmark {
    let program: LoadProgram
    let directory: TemporaryDirectory
    let milliseconds: Int
    let rounds: Int

    static let policies = ["always", "interval", "never"]
    /// The number of events that are appended at once or, for the recorder, may be queued.
    static let batches = [1, 64]

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [RecordingResult] {
        var rows: [(kind: String, policy: String, batch: Int)] = []
        for policy in Self.policies {
            for batch in Self.batches {
                rows.append(("file", policy, batch))
                rows.append(("append", policy, batch))
                if batch > 1 { rows.append(("recorder", policy, batch)) }
            }
        }
        var summaries = [[RecordingSummary]](repeating: [], count: rows.count)
        for round in 0..<rounds {
            progress("journal: round \(round + 1) of \(rounds)")
            for turn in rows.indices {
                let index = (turn + round) % rows.count
                let row = rows[index]
                // A separate directory each time, which is removed at once: otherwise gigabytes would wait for writeback.
                let place = try TemporaryDirectory("recording", in: directory.path)
                let line = try program.run([
                    "record", "--kind", row.kind, "--policy", row.policy, "--batch", "\(row.batch)", "--directory",
                    place.path(of: "journal"), "--milliseconds", "\(milliseconds)",
                ])
                summaries[index].append(try RecordingSummary(line: line))
            }
        }
        return zip(rows, summaries).map { row, rounds in
            RecordingResult(kind: row.kind, policy: row.policy, batch: row.batch, rounds)
        }
    }
}

/// The results of one kind of recording over all rounds.
struct RecordingResult: Codable, Sendable {
    /// `file`, `append` or `recorder`.
    let kind: String
    let policy: String
    let batch: Int
    let appendsPerSecond: Spread
    let cpuMicrosecondsPerAppend: Double
    let megabytesPerSecond: Double

    init(kind: String, policy: String, batch: Int, _ rounds: [RecordingSummary]) {
        self.kind = kind
        self.policy = policy
        self.batch = batch
        appendsPerSecond = Spread(rounds.map { Double($0.appends) / $0.elapsedSeconds })
        cpuMicrosecondsPerAppend = Spread(rounds.map { $0.cpuSeconds * 1e6 / Double($0.appends) }).median
        megabytesPerSecond = Spread(rounds.map { Double($0.bytes) / 1e6 / $0.elapsedSeconds }).median
    }
}
