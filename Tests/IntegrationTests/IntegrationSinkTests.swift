import AgentTestKit
import Foundation
import Testing

/// The built `reachagent-sink` between a built agent and a real nats-server.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(5)))
struct IntegrationSinkTests {
    let lab: SinkLab

    init() throws { lab = try SinkLab() }

    /// A server with a stream for everything that agents publish.
    private static func server() async throws -> (NATSServer, NATSTestClient) {
        let server = try await NATSServer()
        let reader = try NATSTestClient(port: server.port)
        try reader.makeStream("EVENTS")
        return (server, reader)
    }

    /// Waits until the broker has everything that the journal has, and returns both.
    private func shipped(_ reader: NATSTestClient) async throws -> (events: ShippedEvents, journal: [String]) {
        let journal = try await lab.journal()
        try reader.awaits(try #require(journal.last), in: "EVENTS")
        return (try ShippedEvents(of: "EVENTS", reader), journal)
    }

    @Test func `every event arrives as the agent wrote it, under its subject, with its number as its name`()
        async throws
    {
        let (server, reader) = try await Self.server()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await sink.next(containing: "sink plant: connected")
        for number in 3...9 { try await lab.folder.turn(agent, to: number) }
        let (events, journal) = try await shipped(reader)
        #expect(events.flaws(beside: journal) == [])
        let numbered = try journal.map(SeenEvent.init)
        #expect(events.subjects == numbered.map { "reachagent.edge-7.\($0.name)" })
        let stream = try #require(numbered.first?.stream)
        #expect(events.ids == numbered.map { "edge-7.\(stream)-\($0.seq ?? 0)" })
        let first = try #require(reader.messages(of: "EVENTS").first)
        #expect(first.message.headers["Content-Type"] == "application/cloudevents+json")

        let status = try await lab.status(of: "plant")
        #expect(status["state"] as? String == "connected")
        #expect(status["broker"] as? String == server.url)
        sink.signal(SIGTERM)
        _ = await sink.rest()
        #expect(await sink.status() == 0)
        #expect(try await lab.status(of: "plant")["state"] as? String == "absent")
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a purged stream does not get again what it had`() async throws {
        let (server, reader) = try await Self.server()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        for number in 3...6 { try await lab.folder.turn(agent, to: number) }
        let before = try await shipped(reader).journal
        // The cursor is saved at the end at the latest.
        sink.signal(SIGTERM)
        _ = await sink.rest()
        _ = try reader.request("$JS.API.STREAM.PURGE.EVENTS")
        let next = try lab.sink()
        for number in 7...9 { try await lab.folder.turn(agent, to: number) }
        let (events, journal) = try await shipped(reader)
        #expect(events.flaws(beside: Array(journal.dropFirst(before.count))) == [])
        next.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `an agent that was killed goes on with its numbers, and one with a new journal begins anew`()
        async throws
    {
        let (server, reader) = try await Self.server()
        try lab.configure(SinkLab.sink("plant", server.url))
        let sink = try lab.sinkThatWaits()
        var agent = try await lab.agent()
        for number in 3...5 { try await lab.folder.turn(agent, to: number) }
        #expect(try await agent.stop(SIGKILL).status == SIGKILL)
        agent = try await lab.agent()
        for number in 6...8 { try await lab.folder.turn(agent, to: number) }
        let (events, journal) = try await shipped(reader)
        #expect(events.flaws(beside: journal) == [])

        #expect(try await agent.stop().status == 0)
        let former = try await shipped(reader).journal
        try FileManager.default.removeItem(atPath: lab.folder.journal)
        agent = try await lab.agent()
        for number in 3...5 { try await lab.folder.turn(agent, to: number) }
        let (both, latter) = try await shipped(reader)
        #expect(both.flaws(beside: former + latter) == [])
        #expect(Set(both.ids).count == both.ids.count)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a reload adds a sink and removes one, and without any the program ends`() async throws {
        let (server, reader) = try await Self.server()
        try reader.makeStream("OTHERS", subjects: "other.>")
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await sink.next(containing: "sink plant: connected")
        let second = SinkLab.sink("other", server.url, #"subject = "other.<device>.<type>""#)
        try lab.configure(SinkLab.sink("plant", server.url) + second)
        agent.signal(SIGHUP)
        try await sink.next(containing: "sink other: connected")
        try await lab.folder.turn(agent, to: 3)
        let (events, journal) = try await shipped(reader)
        #expect(events.flaws(beside: journal) == [])

        try lab.configure(second)
        agent.signal(SIGHUP)
        try await agent.next("config.reloaded", about: "agent")
        try await lab.folder.turn(agent, to: 4)
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

    @Test func `a broker that hangs delays nothing but its sink, and nothing is lost or doubled by it`() async throws {
        let (server, reader) = try await Self.server()
        let (other, otherReader) = try await Self.server()
        try lab.configure(SinkLab.sink("hangs", server.url) + SinkLab.sink("works", other.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await lab.folder.turn(agent, to: 3)
        _ = try await shipped(reader)
        server.suspend()
        for number in 4...20 { try await lab.folder.turn(agent, to: number) }
        #expect(try await shipped(otherReader).events.flaws(beside: lab.journal()) == [])
        try await sink.next(containing: "[broker_timeout]")
        server.resume()
        let (events, journal) = try await shipped(reader)
        #expect(events.flaws(beside: journal) == [])

        // The end does not wait for a broker.
        server.suspend()
        try await lab.folder.turn(agent, to: 21)
        let begun = ContinuousClock.now
        sink.signal(SIGTERM)
        _ = await sink.rest()
        #expect(await sink.status() == 0)
        #expect(begun.duration(to: .now) < .seconds(2.5))
        server.resume()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a disk that is restored from a snapshot gives numbers twice, and the broker gets every event once`()
        async throws
    {
        let (server, reader) = try await Self.server()
        try lab.configure(SinkLab.sink("plant", server.url))
        var agent = try await lab.agent()
        var sink = try lab.sink()
        try await lab.folder.turn(agent, to: 3)
        _ = try await shipped(reader)
        #expect(try await agent.stop().status == 0)
        let snapshot = "\(lab.folder.path)/snapshot"
        try FileManager.default.copyItem(atPath: lab.folder.journal, toPath: snapshot)
        agent = try await lab.agent()
        for number in 4...6 { try await lab.folder.turn(agent, to: number) }
        #expect(try await agent.stop().status == 0)
        let before = try await shipped(reader).journal
        sink.signal(SIGTERM)
        _ = await sink.rest()

        try FileManager.default.removeItem(atPath: lab.folder.journal)
        try FileManager.default.moveItem(atPath: snapshot, toPath: lab.folder.journal)
        let restored = try await lab.journal()
        agent = try await lab.agent()
        sink = try lab.sink()
        for number in 7...9 { try await lab.folder.turn(agent, to: number) }
        let (events, journal) = try await shipped(reader)
        #expect(events.flaws(beside: before + journal.dropFirst(restored.count)) == [])
        #expect(Set(events.ids).count == events.ids.count)
        #expect(events.ids.last?.contains("~1-") == true)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a cursor that was copied from another machine, or is damaged, does no harm`() async throws {
        let (server, reader) = try await Self.server()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        for text in [
            #"{"version":1,"broker":"\#(server.url)","device":"edge-7","stream":"other","seq":9,"time":"2026-11-21T07:00:00Z"}"#,
            #"{"version":1,"broker":"\#(server.url)","#, "",
        ] {
            try FileManager.default.createDirectory(atPath: lab.state, withIntermediateDirectories: true)
            try text.write(toFile: "\(lab.state)/plant.cursor", atomically: true, encoding: .utf8)
            let sink = try lab.sink()
            try await lab.folder.turn(agent, to: .random(in: 3...200))
            let (events, journal) = try await shipped(reader)
            #expect(events.flaws(beside: journal) == [])
            sink.end()
            _ = await sink.rest()
        }
        #expect(try await agent.stop().status == 0)
    }

    @Test func `the service manager learns that it is ready, and the state of each sink`() async throws {
        let (server, _) = try await Self.server()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "service-manager.py").path()
        let words = [script, SinkLab.path, "--runtime-directory", lab.folder.sockets, "--state-directory", lab.state]
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

    @Test(.withMosquitto) func `connected, and with nothing to ship, no thread wakes up`() async throws {
        let (server, reader) = try await Self.server()
        let broker = try await MosquittoBroker()
        try lab.configure(
            SinkLab.sink("plant", server.url) + SinkLab.sink("home", "mqtt://127.0.0.1:\(broker.port)")
        )
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await lab.folder.turn(agent, to: 3)
        _ = try await shipped(reader)
        // Cursors and reports are due up to ten seconds after the last event; the keep-alive of MQTT is two minutes.
        try await Task.sleep(for: .seconds(12))
        let before = try ThreadSleeps.counts(of: sink.processIdentifier)
        try await Task.sleep(for: .seconds(5))
        let after = try ThreadSleeps.counts(of: sink.processIdentifier)
        #expect(after == before)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `without a list of sinks the program ends at once, and with one that is none it waits`() async throws {
        try FileManager.default.createDirectory(atPath: lab.folder.sockets, withIntermediateDirectories: false)
        let first = try lab.sink()
        #expect(try await first.next(containing: "no sink").hasSuffix("notice: no sink is configured"))
        _ = await first.rest()
        #expect(await first.status() == 0)

        try "{".write(toFile: "\(lab.folder.sockets)/sinks.json", atomically: true, encoding: .utf8)
        let second = try lab.sink()
        try await second.next(containing: "cannot read the list of sinks")
        try await second.next(containing: "waiting for the agent")
        try FileManager.default.removeItem(atPath: "\(lab.folder.sockets)/sinks.json")
        second.signal(SIGHUP)
        try await second.next(containing: "no sink is configured")
        _ = await second.rest()
        #expect(await second.status() == 0)
    }
}
