import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import Sinks
import Testing

@testable import ReachAgent

/// The agent's registry of sinks: the settings it hands over, and the reports it takes.
@Suite(.onOwnThread) struct SinkRegistryTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    // MARK: Reports

    @Test func `cursors outlive the agent, and not the sink`() throws {
        let sinks = [try SinkProgressTests.settings("a")]
        let first = try SinkRegistryAgent(in: directory)
        var registry = first.registry(sinks)
        registry.start()
        for _ in 0..<3 { first.record(.agentStopping(reason: "x")) }
        #expect(registry.take(.connected(2, stream: first.journal.streamID), from: nil))
        try first.end(registry)
        let second = try SinkRegistryAgent(in: directory)
        registry = second.registry(sinks)
        registry.start()
        #expect(registry.statuses.first?.acknowledged == 2 && registry.statuses.first?.pending == 1)
        #expect(registry.statuses.first?.state == .absent)
        registry.configure([])
        try second.end(registry)
        let third = try SinkRegistryAgent(in: directory)
        registry = third.registry(sinks)
        registry.start()
        #expect(registry.statuses.first?.acknowledged == nil && registry.statuses.first?.pending == 3)
        try third.end(registry)
    }

    @Test func `a number of another stream and an unknown sink are ignored`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        #expect(!registry.take(.connected(1, stream: agent.journal.streamID), from: nil))
        registry.start()
        agent.record(.agentStopping(reason: "x"))
        #expect(registry.take(.connected(1, stream: "other"), from: nil))
        #expect(registry.take(.connected(1, stream: nil), from: nil))
        #expect(registry.statuses.first?.acknowledged == nil && registry.statuses.first?.state == .connected)
        var stranger = SinkReport.connected(1, stream: agent.journal.streamID)
        stranger.status.name = "b"
        #expect(!registry.take(stranger, from: nil))
        #expect(registry.statuses.map(\.name) == ["a"])
        try agent.end(registry)
    }

    @Test(arguments: [("nats://b.test", "edge-7"), ("nats://a.test", "edge-8"), ("nats://b.test", "edge-8")])
    func `a late report about the former target changes nothing`(_ broker: String, _ device: String) throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for _ in 0..<3 { agent.record(.agentStopping(reason: "x")) }
        _ = agent.journal.flush(within: SinkRegistryAgent.patience)
        #expect(registry.take(.connected(1, stream: agent.journal.streamID), from: nil))
        #expect(registry.statuses.first?.acknowledged == 1 && registry.statuses.first?.state == .connected)
        registry.configure([try SinkProgressTests.settings("a", broker, device: device)])
        #expect(registry.statuses.first?.state == .absent && registry.statuses.first?.broker == broker)
        let loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: 2, code: "broker_too_large")
        #expect(registry.take(.connected(3, stream: agent.journal.streamID, lost: loss), from: nil))
        let status = try #require(registry.statuses.first)
        #expect(status.state == .absent && status.acknowledged == nil && status.pending == 3 && status.lost == 0)
        #expect(registry.take(.connected(2, stream: agent.journal.streamID, target: (broker, device)), from: nil))
        #expect(registry.statuses.first?.acknowledged == 2 && registry.statuses.first?.state == .connected)
        try agent.end(registry)
        #expect(try agent.recordedLosses().isEmpty)
    }

    @Test(arguments: [
        ("nats://a.test", "edge-7", true), ("nats://b.test", "edge-7", false), ("nats://a.test", "edge-8", false),
    ])
    func `the state of a sink is kept only for the same broker and device`(
        _ url: String,
        _ device: String,
        _ isKept: Bool
    ) throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        #expect(registry.take(.connected(nil, stream: nil), from: nil))
        var next = try SinkProgressTests.settings("a", url, device: device)
        next.window = 7
        registry.configure([next])
        #expect(registry.statuses.first?.state == (isKept ? .connected : .absent))
        try agent.end(registry)
    }

    @Test func `a sink whose process has ended is absent`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for (process, state) in [(getpid(), SinkStatus.State.connected), (Int32.max, .absent), (0, .connected)] {
            #expect(registry.take(.connected(nil, stream: nil), from: process))
            #expect(registry.statuses.first?.state == state)
        }
        try agent.end(registry)
    }

    @Test func `an event that a broker rejects is announced with its code`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let registry = agent.registry([try SinkProgressTests.settings("a")])
        registry.start()
        for _ in 0..<3 { agent.record(.agentStopping(reason: "x")) }
        let loss = SinkLoss(sink: "a", firstSequence: 2, lastSequence: 2, code: "broker_too_large")
        for _ in 0..<2 { #expect(registry.take(.connected(1, stream: nil, lost: loss), from: nil)) }
        #expect(agent.losses(1) == [loss])
        try agent.end(registry)
        #expect(try agent.recordedLosses() == [loss])
    }

    // MARK: The document

    @Test func `the settings are passed, replaced, and removed`() throws {
        let agent = try SinkRegistryAgent(in: directory)
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
        let agent = try SinkRegistryAgent(in: directory)
        let file = SinkDocumentFile(in: directory, host: "edge-7")
        #expect(file.write([try SinkProgressTests.settings("a")]) == nil)
        let registry = agent.registry([], document: file)
        registry.start()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try agent.end(registry)
        #expect(!FileManager.default.fileExists(atPath: directory + "/journal/\(SinkProgressWriter.name)"))
    }

    @Test(arguments: [
        ("RUNTIME_DIRECTORY=%", "--no-sockets", false),
        ("RUNTIME_DIRECTORY=%:/nonexistent", "--socket-directory %/other", false),
        ("RUNTIME_DIRECTORY=%/other", "--no-sockets", true), ("", "--no-sockets", true),
    ])
    func `a service without sockets in its directory removes a left-over file, and no other agent does`(
        variable: String,
        option: String,
        remains: Bool
    ) async throws {
        let file = SinkDocumentFile(in: directory, host: "edge-7")
        #expect(file.write([try SinkProgressTests.settings("a")]) == nil)
        let command = "exec env \(variable) \(BuiltAgent.path) run --no-config --no-journal --no-hooks \(option)"
        let agent = try CommandLines(command.replacing("%", with: directory))
        defer { agent.end() }
        try await agent.next(containing: "reachagent.agent.started")
        #expect(FileManager.default.fileExists(atPath: file.path) == remains)
    }

    @Test func `settings that could not be handed over are handed over by the next reload`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let place = directory + "/sockets"
        let file = SinkDocumentFile(in: place, host: "edge-7")
        let sinks = [try SinkProgressTests.settings("a")]
        let registry = agent.registry(sinks, document: file)
        registry.start()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        registry.configure(sinks)
        let written = try Data(contentsOf: URL(filePath: file.path))
        #expect(try JSONDecoder().decode(SinkDocument.self, from: written).sinks.map(\.name) == ["a"])
        // Written once: unchanged settings are not handed over again.
        try FileManager.default.removeItem(atPath: file.path)
        registry.configure(sinks)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try agent.end(registry)
    }

    @Test func `a file that something has removed is written again`() throws {
        let agent = try SinkRegistryAgent(in: directory)
        let file = SinkDocumentFile(in: directory, host: "edge-7")
        let registry = agent.registry([try SinkProgressTests.settings("a")], document: file)
        registry.restoreDocument()
        #expect(!file.exists)
        registry.start()
        let written = try Data(contentsOf: URL(filePath: file.path))
        try FileManager.default.removeItem(atPath: file.path)
        registry.restoreDocument()
        #expect(try Data(contentsOf: URL(filePath: file.path)) == written)
        registry.configure([])
        registry.restoreDocument()
        #expect(!file.exists)
        try agent.end(registry)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `the file of root's agent belongs to the owner of the directory, whose programs read it`() throws {
        try #require(chown(directory, 5, 6) == 0)
        let file = SinkDocumentFile(in: directory, host: "edge-7")
        #expect(file.write([try SinkProgressTests.settings("a")]) == nil)
        let facts = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(facts[.ownerAccountID] as? Int == 5 && facts[.groupOwnerAccountID] as? Int == 6)
        #expect(facts[.posixPermissions] as? Int == 0o640)
    }

    @Test func `a directory that is not there is a reason`() throws {
        let file = SinkDocumentFile(in: directory + "/nowhere", host: "edge-7")
        #expect(file.write([try SinkProgressTests.settings("a")])?.contains("No such file or directory") == true)
    }
}
