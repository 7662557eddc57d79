internal import AgentEvents
internal import ArgumentParser
internal import BenchmarkKit
internal import EventJournal

/// Writes a journal.
struct FillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill",
        abstract: "Write a journal of many events, and print how many bytes their lines have."
    )

    @Option(help: "The journal's directory.")
    var journal: String

    @Option(help: "The number of events.")
    var count: UInt64 = 1_000_000

    @Flag(help: "Compress the closed segments.")
    var compress = false

    func run() throws {
        var configuration = Self.configuration(of: journal)
        configuration.compressesClosedSegments = compress
        let journal = try EventJournal(opening: configuration, now: { .now })
        let sample = SampleEvent(streamID: journal.streamID)
        var next = journal.nextSequence
        let end = next + count
        var bytes = 0
        while next < end {
            let batch = next..<min(next + 256, end)
            let records = batch.compactMap { JournalRecord(sample.event($0)) }
            journal.append(records)
            bytes += records.reduce(0) { $0 + $1.line.count + 1 }
            next = batch.upperBound
        }
        guard journal.close(within: .seconds(300)), journal.status().trouble == nil else {
            throw BenchmarkError("write the journal", cause: journal.status().trouble?.detail ?? "the disk is slow")
        }
        print(bytes)
    }

    /// A journal that keeps everything.
    static func configuration(of directory: String, sync: SyncPolicy = .never) -> JournalConfiguration {
        JournalConfiguration(directory: directory, sync: sync, totalBytes: 1 << 40)
    }
}
