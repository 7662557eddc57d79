internal import AgentEvents
internal import BenchmarkKit
internal import EventJournal

/// The journal without a bus: each append is a batch of the caller's size.
final class AppendRecording: Recording {
    private let journal: EventJournal
    private let sample: SampleEvent
    private var next: UInt64

    init(_ configuration: JournalConfiguration) throws {
        journal = try EventJournal(opening: configuration, now: { .now })
        sample = SampleEvent(streamID: journal.streamID)
        next = journal.nextSequence
    }

    func record(_ count: Int) -> Int {
        var bytes = 0
        var records: [JournalRecord] = []
        for _ in 0..<count {
            guard let record = JournalRecord(sample.event(next)) else { continue }
            records.append(record)
            bytes += record.line.count + 1
            next += 1
        }
        journal.append(records)
        return bytes
    }

    func finish() throws {
        if let trouble = journal.status().trouble { throw BenchmarkError("record events", cause: trouble.detail) }
    }
}
