internal import ArgumentParser
internal import BenchmarkKit
internal import EventJournal

/// Records events for some time, and reports how many there were as one line of JSON.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record events as fast as possible, and report their number and cost."
    )

    enum Kind: String, ExpressibleByArgument {
        /// `EventJournal.append`.
        case append
        /// The bus and the recorder, which takes what has come since its last turn.
        case recorder
        /// write(2), and fdatasync(2) where the policy has it.
        case file
    }

    enum Policy: String, ExpressibleByArgument { case always, interval, never }

    @Option(help: "The recorder of the events: append, recorder or file.")
    var kind = Kind.append

    @Option(help: "The time at which they are forced to disk: always, interval or never.")
    var policy = Policy.interval

    @Option(help: "The number of events appended at once; for the recorder, the number that may wait.")
    var batch = 1

    @Option(help: "The directory, which is made.")
    var directory: String

    @Option(help: "For how many milliseconds.")
    var milliseconds = 1000

    func run() throws {
        let recording: any Recording =
            switch kind {
            case .append: try AppendRecording(FillCommand.configuration(of: directory, sync: syncPolicy))
            case .recorder: try BusRecording(FillCommand.configuration(of: directory, sync: syncPolicy), most: batch)
            case .file: try FileRecording(in: directory, policy: policy)
            }
        try recording.record(batch)
        let cpu = ProcessUsage.ownCPUNanoseconds
        let start = MonotonicClock.nanoseconds
        let end = start + UInt64(milliseconds) * 1_000_000
        var (appends, bytes) = (0, 0)
        while MonotonicClock.nanoseconds < end {
            bytes += try recording.record(batch)
            appends += batch
        }
        try recording.finish()
        let summary = RecordingSummary(
            appends: appends,
            bytes: bytes,
            elapsedSeconds: Double(MonotonicClock.nanoseconds - start) / 1e9,
            cpuSeconds: Double(ProcessUsage.ownCPUNanoseconds - cpu) / 1e9
        )
        print(try summary.line())
    }

    private var syncPolicy: SyncPolicy {
        switch policy {
        case .always: .always
        case .interval: .standard
        case .never: .never
        }
    }
}
