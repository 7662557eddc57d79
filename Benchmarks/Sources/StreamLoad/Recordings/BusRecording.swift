internal import AgentEvents
internal import BenchmarkKit
internal import Dispatch
internal import EventJournal
internal import NotificationBus

/// The journal behind the bus, as in the agent: a publisher that goes on while the recorder writes.
final class BusRecording: Recording {
    private let journal: EventJournal
    private let bus: NotificationBus<Event>
    private let sample: SampleEvent
    private let recorder: JournalRecorder
    private let subscription: Subscription<Event>
    private let arrivals: DispatchSemaphore
    private let most: UInt64

    /// - Parameter most: How many events may wait for the recorder.
    init(_ configuration: JournalConfiguration, most: Int) throws {
        journal = try EventJournal(opening: configuration, now: { .now })
        sample = SampleEvent(streamID: journal.streamID)
        bus = NotificationBus(firstSequence: journal.nextSequence)
        recorder = JournalRecorder(recording: bus, in: journal) { Output.tell("journal: \($0.detail)") }
        try recorder.start()
        let arrivals = DispatchSemaphore(value: 0)
        subscription = bus.subscribe(capacity: JournalRecorder.capacity) { arrivals.signal() }
        self.arrivals = arrivals
        self.most = UInt64(most)
    }

    func record(_ count: Int) -> Int {
        var bytes = 0
        for _ in 0..<count {
            bytes += bus.publish { sample.event($0) }.map { $0.content.line.count + 1 } ?? 0
        }
        // Half of them may be under way when the next are made.
        wait(through: bus.lastSequence - min(most / 2, bus.lastSequence))
        return bytes
    }

    func finish() throws {
        wait(through: bus.lastSequence)
        if let trouble = journal.status().trouble { throw BenchmarkError("record events", cause: trouble.detail) }
    }

    private func wait(through sequence: UInt64) {
        // Taken also when there is nothing to wait for: a subscriber that takes nothing is cut off.
        _ = subscription.take()
        while bus.lastReleased < sequence {
            arrivals.wait()
            _ = subscription.take()
        }
    }
}
