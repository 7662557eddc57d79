import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import LinuxSupport
import Sinks
import Testing

@testable import ReachAgent

/// The agent's registry of sinks: the settings it hands over, the reports it takes, and the losses it announces.
@Suite(.onOwnThread) struct SinkRegistryTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }
    private static let origin = EventOrigin(streamID: "s", host: "edge-7")
    private static let patience: Duration = .seconds(30)

    init() throws { temporary = try TemporaryDirectory() }

    /// A journal of four small files.
    private func journal() throws -> EventJournal {
        let configuration = JournalConfiguration(
            directory: directory + "/journal",
            sync: .never,
            segmentBytes: 2048,
            totalBytes: 8192
        )
        return try EventJournal(opening: configuration, now: { .now })
    }

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

    /// The part of an agent that a registry needs.
    private final class Agent: Sendable {
        let journal: EventJournal
        let publishing: Publishing
        private let announced = Monitor<[SinkLoss]>([])
        /// The file of the progress at the moment of a crash.
        private let wreck = Monitor<[UInt8]?>(nil)

        init(_ journal: EventJournal, _ publishing: Publishing = .records) {
            self.journal = journal
            self.publishing = publishing
        }

        func registry(_ sinks: [SinkSettings], document: SinkDocumentFile? = nil) -> SinkRegistry {
            SinkRegistry(
                sinks,
                journal: journal,
                stream: journal.streamID,
                newest: { [journal] in journal.nextSequence - 1 },
                document: document,
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
            let event = Event(draft, from: SinkRegistryTests.origin, at: .now, number: number)
            if let record = JournalRecord(event) { journal.append([record]) }
            return number
        }

        /// Records events until the journal has removed some.
        func overflow() {
            let before = journal.oldestSequence
            while journal.oldestSequence == before || before == nil && (journal.oldestSequence ?? 1) == 1 {
                record(.agentStopping(reason: String(repeating: "x", count: 400)))
                _ = journal.flush(within: SinkRegistryTests.patience)
            }
        }

        /// The losses, as soon as there are so many.
        func losses(_ count: Int) -> [SinkLoss] {
            let deadline = ContinuousClock.now + SinkRegistryTests.patience
            return announced.wait { losses in
                let left = ContinuousClock.now.duration(to: deadline)
                return losses.count >= count || left <= .zero ? .done(losses) : .sleep(left)
            }
        }

        /// Ends the process; after a crash the file is what it was in that moment.
        func end(_ registry: SinkRegistry) throws {
            registry.stop()
            if publishing != .records, publishing != .queues, let wreck = wreck.withLock({ $0 }) {
                try journal.keep(wreck, as: SinkProgressWriter.name)
            }
            _ = journal.close(within: SinkRegistryTests.patience)
        }
    }

    private static func report(
        _ acknowledged: UInt64?,
        stream: String?,
        target: (broker: String, device: String) = ("nats://a.test", "edge-7"),
        lost: SinkLoss? = nil
    ) -> SinkReport {
        let status = SinkStatus(name: "a", broker: target.broker, state: .connected, acknowledged: acknowledged)
        return SinkReport(status: status, device: target.device, stream: stream, bytes: 0, lost: lost)
    }

    private static func recorded(in journal: EventJournal) throws -> [SinkLoss] {
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

    // MARK: Losses

    @Test func `events that the journal removes unsent are announced, with their exact numbers`() throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        agent.record(.agentStopping(reason: "x"))
        #expect(registry.take(Self.report(1, stream: agent.journal.streamID), from: nil))
        agent.overflow()
        let oldest = try #require(agent.journal.oldestSequence)
        let loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: oldest - 1)
        #expect(agent.losses(1) == [loss])
        #expect(registry.statuses.first?.lost == loss.count)
        try agent.end(registry)
        #expect(try Self.recorded(in: agent.journal) == [loss])
    }

    @Test func `of a sink with types only the events that it ships are lost`() throws {
        let agent = Agent(try journal())
        var sinks = [try SinkProgressTests.settings("none"), try SinkProgressTests.settings("some")]
        sinks[0].types = ["certificate.*"]
        // Not one of the lasting events, of which the history has copies.
        sinks[1].types = ["reachagent.agent.started", "netlink.*"]
        let registry = agent.registry(sinks)
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        let overrun = NetlinkOverrun(code: "netlink_overrun", detail: "lost", dropped: 0, observed: .now)
        let numbers = (0..<2).map { _ in
            agent.record(.agentStopping(reason: "x"))
            return agent.record(EventDraft(.netlinkOverrun, .netlinkOverrun(overrun)))
        }
        agent.overflow()
        let announced = SinkLoss(sink: "some", firstSequence: numbers[0], lastSequence: numbers[1], matching: 2)
        #expect(agent.losses(1) == [announced])
        #expect(announced.summary == "2 of the events 3 to 5 were lost to the broker [events_expired]")
        let statuses = registry.statuses
        #expect(statuses.map(\.name) == ["none", "some"] && statuses.map(\.lost) == [0, 2])
        try agent.end(registry)
        #expect(try Self.recorded(in: agent.journal) == [announced])
    }

    @Test func `lasting events removed while no registry runs are counted by their copies`() throws {
        var sink = try SinkProgressTests.settings("a")
        sink.types = ["agent.stopping"]
        let first = Agent(try journal())
        var registry = first.registry([sink])
        registry.start()
        first.record(.agentStopping(reason: "x"))
        registry.stop()
        first.overflow()
        _ = first.journal.close(within: Self.patience)
        let next = Agent(try journal())
        registry = next.registry([sink])
        registry.start()
        let oldest = try #require(next.journal.oldestSequence)
        #expect(next.losses(1) == [SinkLoss(sink: "a", firstSequence: 1, lastSequence: oldest - 1)])
        try next.end(registry)
    }

    @Test func `shipped events are not lost`() throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for _ in 0..<100 {
            let number = agent.record(.agentStopping(reason: String(repeating: "x", count: 400)))
            #expect(registry.take(Self.report(number, stream: agent.journal.streamID), from: nil))
        }
        _ = agent.journal.flush(within: Self.patience)
        #expect((agent.journal.oldestSequence ?? 0) > 1)
        try agent.end(registry)
        #expect(try Self.recorded(in: agent.journal).isEmpty)
    }

    @Test(arguments: Publishing.allCases)
    func `a loss is announced exactly once, whenever the agent ends`(_ publishing: Publishing) throws {
        let sinks = [try SinkProgressTests.settings("a")]
        let first = Agent(try journal(), publishing)
        var registry = first.registry(sinks)
        registry.start()
        first.record(.agentStopping(reason: "x"))
        first.overflow()
        let loss = try #require(first.losses(1).first)
        try first.end(registry)
        #expect(try Self.recorded(in: first.journal).count == (publishing == .crashesBefore ? 0 : 1))
        for _ in 0..<2 {
            let next = Agent(try journal())
            registry = next.registry(sinks)
            registry.start()
            if try Self.recorded(in: next.journal).isEmpty { #expect(next.losses(1) == [loss]) }
            // The file is settled when the registry has stopped.
            try next.end(registry)
            #expect(try Self.recorded(in: next.journal) == [loss])
        }
    }

    @Test func `an announcement without a number is forgotten once the journal has it`() throws {
        let agent = Agent(try journal(), .queues)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        agent.overflow()
        #expect(agent.losses(1).count == 1)
        registry.stop()
        registry.start()
        #expect(registry.take(Self.report(agent.journal.nextSequence - 1, stream: agent.journal.streamID), from: nil))
        try agent.end(registry)
        let content = try #require(agent.journal.kept(SinkProgressWriter.name, atMost: 1 << 20))
        #expect(try EventDecoder.decode(SinkProgress.self, from: content).doubtful.isEmpty)
        #expect(try Self.recorded(in: agent.journal).count == 1)
    }

    @Test func `events removed while no registry runs are announced at the next start`() throws {
        let sinks = [try SinkProgressTests.settings("a")]
        let first = Agent(try journal())
        var registry = first.registry(sinks)
        registry.start()
        first.record(.agentStopping(reason: "x"))
        registry.stop()
        first.overflow()
        _ = first.journal.close(within: Self.patience)
        let next = Agent(try journal())
        registry = next.registry(sinks)
        registry.start()
        let oldest = try #require(next.journal.oldestSequence)
        #expect(next.losses(1) == [SinkLoss(sink: "a", firstSequence: 1, lastSequence: oldest - 1)])
        try next.end(registry)
    }

    @Test func `a new sink does not lose events from before it was configured`() throws {
        let agent = Agent(try journal())
        let registry = agent.registry([])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        agent.overflow()
        registry.configure([try SinkProgressTests.settings("a")])
        let status = try #require(registry.statuses.first)
        #expect(status.lost == 0 && status.acknowledged == nil && status.state == .absent)
        #expect(status.pending == agent.journal.nextSequence - (agent.journal.oldestSequence ?? 0))
        try agent.end(registry)
        #expect(try Self.recorded(in: agent.journal).isEmpty)
    }

    // MARK: Reports

    @Test func `cursors outlive the agent, and not the sink`() throws {
        let sinks = [try SinkProgressTests.settings("a")]
        let first = Agent(try journal())
        var registry = first.registry(sinks)
        registry.start()
        for _ in 0..<3 { first.record(.agentStopping(reason: "x")) }
        #expect(registry.take(Self.report(2, stream: first.journal.streamID), from: nil))
        try first.end(registry)
        let second = Agent(try journal())
        registry = second.registry(sinks)
        registry.start()
        #expect(registry.statuses.first?.acknowledged == 2 && registry.statuses.first?.pending == 1)
        #expect(registry.statuses.first?.state == .absent)
        registry.configure([])
        try second.end(registry)
        let third = Agent(try journal())
        registry = third.registry(sinks)
        registry.start()
        #expect(registry.statuses.first?.acknowledged == nil && registry.statuses.first?.pending == 3)
        try third.end(registry)
    }

    @Test func `a number of another stream and an unknown sink are ignored`() throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        #expect(!registry.take(Self.report(1, stream: agent.journal.streamID), from: nil))
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        #expect(registry.take(Self.report(1, stream: "other"), from: nil))
        #expect(registry.take(Self.report(1, stream: nil), from: nil))
        #expect(registry.statuses.first?.acknowledged == nil && registry.statuses.first?.state == .connected)
        var stranger = Self.report(1, stream: agent.journal.streamID)
        stranger.status.name = "b"
        #expect(!registry.take(stranger, from: nil))
        #expect(registry.statuses.map(\.name) == ["a"])
        try agent.end(registry)
    }

    @Test(arguments: [("nats://b.test", "edge-7"), ("nats://a.test", "edge-8"), ("nats://b.test", "edge-8")])
    func `a late report about the former target changes nothing`(_ broker: String, _ device: String) throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for _ in 0..<3 { agent.record(.agentStopping(reason: "x")) }
        _ = agent.journal.flush(within: Self.patience)
        #expect(registry.take(Self.report(1, stream: agent.journal.streamID), from: nil))
        #expect(registry.statuses.first?.acknowledged == 1 && registry.statuses.first?.state == .connected)
        registry.configure([try SinkProgressTests.settings("a", broker, device: device)])
        #expect(registry.statuses.first?.state == .absent && registry.statuses.first?.broker == broker)
        let loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: 2, code: "broker_too_large")
        #expect(registry.take(Self.report(3, stream: agent.journal.streamID, lost: loss), from: nil))
        let status = try #require(registry.statuses.first)
        #expect(status.state == .absent && status.acknowledged == nil && status.pending == 3 && status.lost == 0)
        #expect(registry.take(Self.report(2, stream: agent.journal.streamID, target: (broker, device)), from: nil))
        #expect(registry.statuses.first?.acknowledged == 2 && registry.statuses.first?.state == .connected)
        try agent.end(registry)
        #expect(try Self.recorded(in: agent.journal).isEmpty)
    }

    @Test(arguments: [
        ("nats://a.test", "edge-7", true), ("nats://b.test", "edge-7", false), ("nats://a.test", "edge-8", false),
    ])
    func `the state of a sink is kept only for the same broker and device`(
        _ url: String,
        _ device: String,
        _ isKept: Bool
    ) throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        #expect(registry.take(Self.report(nil, stream: nil), from: nil))
        var next = try SinkProgressTests.settings("a", url, device: device)
        next.window = 7
        registry.configure([next])
        #expect(registry.statuses.first?.state == (isKept ? .connected : .absent))
        try agent.end(registry)
    }

    @Test func `a sink whose process has ended is absent`() throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for (process, state) in [(getpid(), SinkStatus.State.connected), (Int32.max, .absent), (0, .connected)] {
            #expect(registry.take(Self.report(nil, stream: nil), from: process))
            #expect(registry.statuses.first?.state == state)
        }
        try agent.end(registry)
    }

    @Test func `an event that a broker rejects is announced with its code`() throws {
        let agent = Agent(try journal())
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for _ in 0..<3 { agent.record(.agentStopping(reason: "x")) }
        let loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: 2, code: "broker_too_large")
        for _ in 0..<2 { #expect(registry.take(Self.report(1, stream: nil, lost: loss), from: nil)) }
        #expect(agent.losses(1) == [loss])
        try agent.end(registry)
        #expect(try Self.recorded(in: agent.journal) == [loss])
    }

    // MARK: The document

    @Test func `the settings are passed, replaced, and removed`() throws {
        let agent = Agent(try journal())
        let file = SinkDocumentFile(in: directory, host: "edge-7")
        var sink = try SinkProgressTests.settings("a")
        sink.credentials.tokenFile = "secrets/token"
        sink.authorities = "/etc/ca.pem"
        let registry = agent.registry([sink], document: file)
        registry.start()
        func document() throws -> SinkDocument {
            try JSONDecoder().decode(SinkDocument.self, from: Data(contentsOf: URL(filePath: file.path)))
        }
        let written = try document()
        #expect(written.host == "edge-7" && written.sinks.map(\.name) == ["a"])
        #expect(written.sinks.first?.authorities == "/etc/ca.pem")
        #expect(written.sinks.first?.credentials.tokenFile == AbsolutePath.of("secrets/token"))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        registry.configure([sink, try SinkProgressTests.settings("b")])
        #expect(try document().sinks.map(\.name) == ["a", "b"])
        registry.configure([])
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try agent.end(registry)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["journal"])
    }

    @Test func `a left-over file is removed when there is no sink`() throws {
        let agent = Agent(try journal())
        let file = SinkDocumentFile(in: directory, host: "edge-7")
        #expect(file.write([try SinkProgressTests.settings("a")]) == nil)
        let registry = agent.registry([], document: file)
        registry.start()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try agent.end(registry)
        #expect(!FileManager.default.fileExists(atPath: directory + "/journal/\(SinkProgressWriter.name)"))
    }

    @Test func `a directory that is not there is a reason`() throws {
        let file = SinkDocumentFile(in: directory + "/nowhere", host: "edge-7")
        #expect(file.write([try SinkProgressTests.settings("a")])?.contains("No such file or directory") == true)
    }
}
