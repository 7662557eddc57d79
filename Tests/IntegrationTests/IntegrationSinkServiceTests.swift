import AgentTestKit
import Foundation
import Testing

/// The service `reachagent-sink`: its start and end with the list of sinks, its reports, and its rest.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(5)))
struct IntegrationSinkServiceTests {
    let lab: SinkLab

    init() throws { lab = try SinkLab() }

    @Test func `without a list of sinks the program ends at once, and with an invalid one it waits`() async throws {
        try FileManager.default.createDirectory(atPath: lab.directory.sockets, withIntermediateDirectories: false)
        let first = try lab.sink()
        #expect(try await first.next(containing: "no sink").hasSuffix("notice: no sink is configured"))
        _ = await first.rest()
        #expect(await first.status() == 0)

        try "{".write(toFile: "\(lab.directory.sockets)/sinks.json", atomically: true, encoding: .utf8)
        let second = try lab.sink()
        try await second.next(containing: "cannot read the list of sinks")
        try await second.next(containing: "waiting for the agent")
        try FileManager.default.removeItem(atPath: "\(lab.directory.sockets)/sinks.json")
        second.signal(SIGHUP)
        try await second.next(containing: "no sink is configured")
        _ = await second.rest()
        #expect(await second.status() == 0)
    }

    @Test func `a reload adds a sink and removes one, and without any the program ends`() async throws {
        let (server, reader) = try await NATSServer.withStream()
        try reader.makeStream("OTHERS", subjects: "other.>")
        let first = SinkLab.sink("plant", server.url, #"stream = "EVENTS""#)
        try lab.configure(first)
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await sink.next(containing: "sink plant: connected")
        let second = SinkLab.sink(
            "other",
            server.url,
            #"subject = "other.<device>.<type>""#,
            #"stream = "OTHERS""#
        )
        try lab.configure(first + second)
        agent.signal(SIGHUP)
        try await sink.next(containing: "sink other: connected")
        try await lab.directory.turn(agent, to: 3)
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: journal) == [])

        try lab.configure(second)
        agent.signal(SIGHUP)
        try await agent.next("config.reloaded", about: "agent")
        try await lab.directory.turn(agent, to: 4)
        let all = try await lab.journal()
        try reader.awaits(try #require(all.last), in: "OTHERS", subject: "other.>")
        #expect(try ShippedEvents(of: "OTHERS", reader).flaws(beside: all) == [])

        try lab.configure("")
        agent.signal(SIGHUP)
        try await sink.next(containing: "no sink is configured")
        _ = await sink.rest()
        #expect(await sink.status() == 0)
        #expect(try await agent.stop().status == 0)
    }

    @Test func `the service manager learns that it is ready, and the state of each sink`() async throws {
        let (server, _) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "service-manager.py").path()
        let words = [
            script, SinkLab.path, "--runtime-directory", lab.directory.sockets, "--state-directory", lab.state,
        ]
        let commands = Pipe()
        let manager = try CommandLines(
            "exec python3 \(words.map { "'\($0)'" }.joined(separator: " "))",
            input: commands
        )
        #expect(try await manager.next(containing: "READY=1").contains("STATUS="))
        try await manager.next(containing: "STATUS=plant: connected")
        commands.fileHandleForWriting.write(Data("signal \(SIGTERM)\n".utf8))
        try await manager.next(containing: "STOPPING=1")
        #expect(try await manager.next(containing: "exited") == "exited 0")
        #expect(try await agent.stop().status == 0)
    }

    @Test(.withMosquitto) func `with a connection and nothing to ship, no thread wakes up`() async throws {
        let (server, reader) = try await NATSServer.withStream()
        let broker = try await MosquittoBroker()
        try lab.configure(
            SinkLab.sink("plant", server.url) + SinkLab.sink("home", "mqtt://127.0.0.1:\(broker.port)")
        )
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await sink.next(containing: "sink home: connected")
        try await lab.directory.turn(agent, to: 3)
        _ = try await lab.shipped(reader)
        // Cursors and reports are due up to ten seconds after the last event; the keep-alive of MQTT is two minutes.
        try await Task.sleep(for: .seconds(12))
        let before = try ThreadSleeps.counts(of: sink.processIdentifier)
        try await Task.sleep(for: .seconds(5))
        let after = try ThreadSleeps.counts(of: sink.processIdentifier)
        #expect(after == before)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }
}
