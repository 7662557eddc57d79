import AgentEvents
import EventJournal
import LinuxSupport
import Sinks

@testable import ReachAgent

/// The part of an agent that a registry of sinks needs: a journal, and the event about a loss.
final class SinkRegistryAgent: Sendable {
    static let patience: Duration = .seconds(30)
    private static let origin = EventOrigin(streamID: "s", host: "edge-7")

    /// The agent's handling of the event about a loss.
    enum Publishing: Sendable, CaseIterable {
        /// The event is recorded.
        case records
        /// The event waits for the agent's first one, and is recorded without the registry's knowing its number.
        case queues
        /// The process ends before the event is recorded.
        case crashesBefore
        /// The process ends after the event is recorded, and before the progress is.
        case crashesAfter
    }

    let journal: EventJournal
    let publishing: Publishing
    private let announced = Monitor<[SinkLoss]>([])
    /// The file of the progress at the moment of a crash.
    private let wreck = Monitor<[UInt8]?>(nil)

    /// Opens a journal of four small files.
    init(in directory: String, _ publishing: Publishing = .records) throws {
        let configuration = JournalConfiguration(
            directory: directory + "/journal",
            sync: .never,
            segmentBytes: 2048,
            totalBytes: 8192
        )
        journal = try EventJournal(opening: configuration, now: { .now })
        self.publishing = publishing
    }

    func registry(_ sinks: [SinkSettings], document: SinkDocumentFile? = nil) -> SinkRegistry {
        SinkRegistry(
            sinks,
            journal: journal,
            stream: journal.streamID,
            newest: { [journal] in journal.nextSequence - 1 },
            document: document,
            wake: {},
            publish: { self.publish($0) }
        )
    }

    private func publish(_ loss: SinkLoss) -> UInt64? {
        wreck.withLock { $0 = $0 ?? journal.kept(SinkProgressWriter.name, atMost: 1 << 20) }
        var number = publishing == .crashesBefore ? nil : record(EventDraft(loss))
        if publishing == .queues { number = nil }
        announced.withLock { $0.append(loss) }
        announced.wakeAll()
        return number
    }

    @discardableResult
    func record(_ draft: EventDraft) -> UInt64 {
        let number = journal.nextSequence
        let event = Event(draft, from: Self.origin, at: .now, number: number)
        if let record = JournalRecord(event) { journal.append([record]) }
        return number
    }

    /// Records events until the journal has removed some.
    func overflow() {
        let before = journal.oldestSequence
        while journal.oldestSequence == before || before == nil && (journal.oldestSequence ?? 1) == 1 {
            record(.agentStopping(reason: String(repeating: "x", count: 400)))
            _ = journal.flush(within: Self.patience)
        }
    }

    /// The losses, as soon as there are so many.
    func losses(_ count: Int) -> [SinkLoss] {
        let deadline = ContinuousClock.now + Self.patience
        return announced.wait { losses in
            let left = ContinuousClock.now.duration(to: deadline)
            return losses.count >= count || left <= .zero ? .done(losses) : .sleep(left)
        }
    }

    /// Ends the process; after a crash the file is what it was in that moment.
    func end(_ registry: SinkRegistry) throws {
        registry.stop(within: Self.patience)
        if publishing != .records, publishing != .queues, let wreck = wreck.withLock({ $0 }) {
            try journal.keep(wreck, as: SinkProgressWriter.name)
        }
        _ = journal.close(within: Self.patience)
    }

    /// The losses in the journal.
    func recordedLosses() throws -> [SinkLoss] {
        let reader = try JournalReader(directory: journal.configuration.directory, includesHistory: true)
        var cursor = reader.events()
        var losses: [SinkLoss] = []
        while let chunk = try cursor.next(atMost: 1 << 20) {
            for line in chunk.lines {
                if case .sinkLost(let loss)? = AgentEvent(line: Array(chunk.bytes[line.range]))?.content {
                    losses.append(loss)
                }
            }
        }
        return losses
    }
}

extension SinkReport {
    /// The report of a connected sink `a`.
    static func connected(
        _ acknowledged: UInt64?,
        stream: String?,
        target: (broker: String, device: String) = ("nats://a.test", "edge-7"),
        lost: SinkLoss? = nil
    ) -> SinkReport {
        let status = SinkStatus(name: "a", broker: target.broker, state: .connected, acknowledged: acknowledged)
        return SinkReport(status: status, device: target.device, stream: stream, bytes: 0, lost: lost)
    }

    /// The report of the sink `a` whose connection has ended.
    static func waiting(_ acknowledged: UInt64?, stream: String?) -> SinkReport {
        var report = connected(acknowledged, stream: stream)
        report.status.state = .waiting
        return report
    }
}
