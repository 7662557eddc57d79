internal import AgentEvents
internal import BenchmarkKit
internal import EventJournal
internal import NotificationBus
internal import StateSocket

/// Our way: the bus, the journal where there is one, and the sockets.
final class BusPublisher: EventPublisher {
    private let bus: NotificationBus<Event>
    private let sample: SampleEvent
    private let recorder: JournalRecorder?
    private let server: StateServer

    /// Serves `events.sock` and `control.sock` in a directory.
    ///
    /// - Parameter journal: The journal's configuration; without it nothing can be replayed.
    init(in directory: String, journal: JournalConfiguration?) throws {
        let opened = try journal.map { try EventJournal(opening: $0, now: { .now }) }
        let bus = NotificationBus<Event>(firstSequence: opened?.nextSequence ?? 1)
        self.bus = bus
        sample = SampleEvent(streamID: opened?.streamID ?? "00000000000000000000000000000001")
        recorder = try opened.map { journal in
            let recorder = JournalRecorder(recording: bus, in: journal) { Output.tell("journal: \($0.detail)") }
            try recorder.start()
            return recorder
        }
        server = StateServer(
            configuration: StateSocketConfiguration(directory: directory),
            bus: bus,
            replay: opened.map { JournalReplay(journal: $0) },
            agent: LoadAgent(bus: bus, sample: sample, streamID: opened?.streamID ?? "")
        )
        try server.start()
    }

    var newest: UInt64 { bus.lastSequence }

    func publish(through last: UInt64) {
        while bus.lastSequence < last { bus.publish { sample.event($0) } }
    }

    func stop() {
        bus.finish()
        _ = recorder?.finish(within: .seconds(5))
        server.stop(within: .seconds(1))
    }
}
