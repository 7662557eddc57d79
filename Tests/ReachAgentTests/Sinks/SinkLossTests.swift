import AgentEvents
import AgentTestKit
import EventJournal
import LinuxSupport
import Sinks
import Testing

@testable import ReachAgent

/// The losses that the agent's registry of sinks announces.
@Suite(.onOwnThread) struct SinkLossTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `events that the journal removes unsent are announced, with their exact numbers`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        agent.record(.agentStopping(reason: "x"))
        #expect(registry.take(.waiting(1, stream: agent.journal.streamID), from: nil))
        agent.overflow()
        let oldest = try #require(agent.journal.oldestSequence)
        let loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: oldest - 1)
        #expect(agent.losses(1) == [loss])
        #expect(registry.statuses.first?.lost == loss.count)
        try agent.end(registry)
        #expect(try agent.recordedLosses() == [loss])
    }

    @Test(arguments: [[], ["agent.stopping"]])
    func `events that were shipped a moment before the journal removed them are not reported as lost`(
        _ types: [String]
    ) throws {
        let agent = try SinkRegistryAgent(in: directory)
        var sink = try SinkProgressTests.settings("a")
        sink.types = types
        let registry = agent.registry([sink])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        #expect(registry.take(.connected(1, stream: agent.journal.streamID), from: nil))
        agent.overflow()
        // Also a reload looks for removals.
        registry.configure([sink, try SinkProgressTests.settings("b")])
        _ = agent.journal.flush(within: SinkRegistryAgent.patience)
        let newest = agent.journal.nextSequence - 1
        #expect(registry.take(.connected(newest, stream: agent.journal.streamID), from: nil))
        _ = agent.journal.flush(within: SinkRegistryAgent.patience)
        #expect(registry.step() == nil)
        #expect(registry.statuses.map(\.lost) == [0, 0])
        try agent.end(registry)
        #expect(try agent.recordedLosses().isEmpty)
    }

    /// The ways in which removed events that a connected sink has not shipped become known.
    enum Discovery: Sendable, CaseIterable {
        /// The sink does not find some of them.
        case gap
        /// The sink loses its connection.
        case disconnection
        /// The sink does not report any more.
        case silence
    }

    @Test(arguments: Discovery.allCases)
    func `events that a connected sink does not ship any more are announced once`(_ discovery: Discovery) throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        let stream = agent.journal.streamID
        #expect(registry.take(.connected(1, stream: stream), from: nil))
        agent.overflow()
        _ = agent.journal.flush(within: SinkRegistryAgent.patience)
        let oldest = try #require(agent.journal.oldestSequence)
        let due = try #require(registry.step())
        #expect(registry.statuses.first?.lost == 0)
        var loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: oldest - 1)
        switch discovery {
        case .gap:
            loss.firstSequence = 3
            #expect(registry.take(.connected(oldest, stream: stream, lost: loss), from: nil))
        case .disconnection: #expect(registry.take(.waiting(1, stream: stream), from: nil))
        case .silence: #expect(registry.step(at: due) == nil)
        }
        #expect(agent.losses(1) == [loss])
        #expect(registry.take(.connected(oldest, stream: stream, lost: loss), from: nil))
        _ = agent.journal.flush(within: SinkRegistryAgent.patience)
        #expect(registry.statuses.first?.lost == loss.count)
        try agent.end(registry)
        #expect(try agent.recordedLosses() == [loss])
    }

    @Test func `of a sink with types only the events that it ships are lost`() throws {
        let agent = try SinkRegistryAgent(in: directory)
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
        #expect(try agent.recordedLosses() == [announced])
    }

    @Test func `lasting events removed while no registry runs are counted by their copies`() throws {
        var sink = try SinkProgressTests.settings("a")
        sink.types = ["agent.stopping"]
        let first = try SinkRegistryAgent(in: directory)
        var registry = first.registry([sink])
        registry.start()
        first.record(.agentStopping(reason: "x"))
        registry.stop(within: SinkRegistryAgent.patience)
        first.overflow()
        _ = first.journal.close(within: SinkRegistryAgent.patience)
        let next = try SinkRegistryAgent(in: directory)
        registry = next.registry([sink])
        registry.start()
        let oldest = try #require(next.journal.oldestSequence)
        #expect(next.losses(1) == [SinkLoss(sink: "a", firstSequence: 1, lastSequence: oldest - 1)])
        try next.end(registry)
    }

    @Test func `shipped events are not lost`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for _ in 0..<100 {
            let number = agent.record(.agentStopping(reason: String(repeating: "x", count: 400)))
            #expect(registry.take(.connected(number, stream: agent.journal.streamID), from: nil))
        }
        _ = agent.journal.flush(within: SinkRegistryAgent.patience)
        #expect((agent.journal.oldestSequence ?? 0) > 1)
        try agent.end(registry)
        #expect(try agent.recordedLosses().isEmpty)
    }

    @Test(arguments: SinkRegistryAgent.Publishing.allCases)
    func `a loss is announced exactly once, whenever the agent ends`(_ publishing: SinkRegistryAgent.Publishing) throws
    {
        let sinks = [try SinkProgressTests.settings("a")]
        let first = try SinkRegistryAgent(in: directory, publishing)
        var registry = first.registry(sinks)
        registry.start()
        first.record(.agentStopping(reason: "x"))
        first.overflow()
        let loss = try #require(first.losses(1).first)
        try first.end(registry)
        #expect(try first.recordedLosses().count == (publishing == .crashesBefore ? 0 : 1))
        for _ in 0..<2 {
            let next = try SinkRegistryAgent(in: directory)
            registry = next.registry(sinks)
            registry.start()
            if try next.recordedLosses().isEmpty { #expect(next.losses(1) == [loss]) }
            // The file is settled when the registry has stopped.
            try next.end(registry)
            #expect(try next.recordedLosses() == [loss])
        }
    }

    @Test func `an announcement without a number is forgotten once the journal has it`() throws {
        let agent = try SinkRegistryAgent(in: directory, .queues)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        agent.overflow()
        #expect(agent.losses(1).count == 1)
        registry.stop(within: SinkRegistryAgent.patience)
        registry.start()
        #expect(registry.take(.connected(agent.journal.nextSequence - 1, stream: agent.journal.streamID), from: nil))
        try agent.end(registry)
        let content = try #require(agent.journal.kept(SinkProgressWriter.name, atMost: 1 << 20))
        #expect(try EventDecoder.decode(SinkProgress.self, from: content).doubtful.isEmpty)
        #expect(try agent.recordedLosses().count == 1)
    }

    @Test func `events removed while no registry runs are announced at the next start`() throws {
        let sinks = [try SinkProgressTests.settings("a")]
        let first = try SinkRegistryAgent(in: directory)
        var registry = first.registry(sinks)
        registry.start()
        first.record(.agentStopping(reason: "x"))
        registry.stop(within: SinkRegistryAgent.patience)
        first.overflow()
        _ = first.journal.close(within: SinkRegistryAgent.patience)
        let next = try SinkRegistryAgent(in: directory)
        registry = next.registry(sinks)
        registry.start()
        let oldest = try #require(next.journal.oldestSequence)
        #expect(next.losses(1) == [SinkLoss(sink: "a", firstSequence: 1, lastSequence: oldest - 1)])
        try next.end(registry)
    }

    @Test func `a step that hangs holds up the end no longer than its timeout`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let (hasBegun, isReleased) = (Monitor(false), Monitor(false))
        let writer = SinkProgressWriter(in: agent.journal, stream: agent.journal.streamID) { _ in
            hasBegun.signal()
            isReleased.waitForSignal()
            return nil
        }
        let sinks = [try SinkProgressTests.settings("a")]
        let loss = SinkLoss(sink: "a", firstSequence: 1, lastSequence: 1, code: "broker_too_large")
        writer.change { progress in
            progress.configure(sinks, oldest: 1)
            _ = progress.refuse(loss, newest: 1)
        }
        #expect(hasBegun.waitForSignal(within: SinkRegistryAgent.patience))
        writer.finish(within: .milliseconds(10))
        isReleased.signal()
        writer.finish(within: SinkRegistryAgent.patience)
        #expect(writer.progress.unpublished.isEmpty)
    }

    @Test func `a new sink does not lose events from before it was configured`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([])
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        agent.overflow()
        registry.configure([try SinkProgressTests.settings("a")])
        let status = try #require(registry.statuses.first)
        #expect(status.lost == 0 && status.acknowledged == nil && status.state == .absent)
        #expect(status.pending == agent.journal.nextSequence - (agent.journal.oldestSequence ?? 0))
        try agent.end(registry)
        #expect(try agent.recordedLosses().isEmpty)
    }
}
