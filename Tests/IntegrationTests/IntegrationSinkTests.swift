import AgentTestKit
import Foundation
import Testing

/// The built `reachagent-sink` between a built agent and a real nats-server.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(5)))
struct IntegrationSinkTests {
    let lab: SinkLab

    init() throws { lab = try SinkLab() }

    @Test func `every event arrives as the agent wrote it, under its subject, with its number as its name`()
        async throws
    {
        let (server, reader) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await sink.next(containing: "sink plant: connected")
        for number in 3...9 { try await lab.directory.turn(agent, to: number) }
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: journal) == [])
        let numbered = try journal.map(SeenEvent.init)
        #expect(events.subjects == numbered.map { "reachagent.edge-7.\($0.name)" })
        let stream = try #require(numbered.first?.stream)
        #expect(events.ids == numbered.map { "edge-7.\(stream)-\($0.seq ?? 0)" })
        let first = try #require(reader.messages(of: "EVENTS").first)
        #expect(first.message.headers["Content-Type"] == "application/cloudevents+json")

        try await lab.awaitStatus(of: "plant", "state", "connected")
        #expect(try await lab.status(of: "plant")["broker"] as? String == server.url)
        sink.signal(SIGTERM)
        _ = await sink.rest()
        #expect(await sink.status() == 0)
        try await lab.awaitStatus(of: "plant", "state", "absent")
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a purged stream does not get its earlier events again`() async throws {
        let (server, reader) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        for number in 3...6 { try await lab.directory.turn(agent, to: number) }
        let before = try await lab.shipped(reader).journal
        // The cursor is saved at the end at the latest.
        sink.signal(SIGTERM)
        _ = await sink.rest()
        _ = try reader.request("$JS.API.STREAM.PURGE.EVENTS")
        let next = try lab.sink()
        for number in 7...9 { try await lab.directory.turn(agent, to: number) }
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: Array(journal.dropFirst(before.count))) == [])
        next.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a sink that waits for a budget ships on when a reload raises it`() async throws {
        func configuration(_ bytesPerDay: Int) -> String {
            "[metered]\ninterfaces = ['eth*']\nbytes_per_day = \(bytesPerDay)\n"
        }
        let (server, reader) = try await NATSServer.withStream()
        let sink = SinkLab.sink("plant", server.url)
        try lab.configure(configuration(250) + sink)
        let agent = try await lab.agent()
        let program = try lab.sink()
        try await program.next(containing: "[budget_exhausted]")
        try await lab.awaitStatus(of: "plant", "code", "budget_exhausted")
        // The list of the sinks remains the same: only the event of the reload reaches the program.
        try lab.configure(configuration(100_000_000) + sink)
        agent.signal(SIGHUP)
        try await agent.next("config.reloaded", about: "agent")
        try await program.next(containing: "sink plant: connected")
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: journal) == [])
        program.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a killed agent continues its numbering, and one with a new journal starts again`() async throws {
        let (server, reader) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        let sink = try lab.sinkThatWaits()
        var agent = try await lab.agent()
        for number in 3...5 { try await lab.directory.turn(agent, to: number) }
        #expect(try await agent.stop(SIGKILL).status == SIGKILL)
        agent = try await lab.agent()
        for number in 6...8 { try await lab.directory.turn(agent, to: number) }
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: journal) == [])

        #expect(try await agent.stop().status == 0)
        let former = try await lab.shipped(reader).journal
        try FileManager.default.removeItem(atPath: lab.directory.journal)
        agent = try await lab.agent()
        for number in 3...5 { try await lab.directory.turn(agent, to: number) }
        let (both, latter) = try await lab.shipped(reader)
        #expect(both.flaws(beside: former + latter) == [])
        #expect(Set(both.ids).count == both.ids.count)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a broker that hangs delays nothing but its sink, and nothing is lost or doubled by it`() async throws {
        let (server, reader) = try await NATSServer.withStream()
        let (other, otherReader) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("hangs", server.url) + SinkLab.sink("works", other.url))
        let agent = try await lab.agent()
        let sink = try lab.sink()
        try await lab.directory.turn(agent, to: 3)
        _ = try await lab.shipped(reader)
        server.suspend()
        for number in 4...20 { try await lab.directory.turn(agent, to: number) }
        #expect(try await lab.shipped(otherReader).events.flaws(beside: lab.journal()) == [])
        try await sink.next(containing: "[broker_timeout]")
        server.resume()
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: journal) == [])

        // The end does not wait for a broker.
        server.suspend()
        try await lab.directory.turn(agent, to: 21)
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
        let (server, reader) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        var agent = try await lab.agent()
        var sink = try lab.sink()
        try await lab.directory.turn(agent, to: 3)
        _ = try await lab.shipped(reader)
        #expect(try await agent.stop().status == 0)
        let snapshot = "\(lab.directory.path)/snapshot"
        try FileManager.default.copyItem(atPath: lab.directory.journal, toPath: snapshot)
        agent = try await lab.agent()
        for number in 4...6 { try await lab.directory.turn(agent, to: number) }
        #expect(try await agent.stop().status == 0)
        let before = try await lab.shipped(reader).journal
        sink.signal(SIGTERM)
        _ = await sink.rest()

        try FileManager.default.removeItem(atPath: lab.directory.journal)
        try FileManager.default.moveItem(atPath: snapshot, toPath: lab.directory.journal)
        let restored = try await lab.journal()
        agent = try await lab.agent()
        sink = try lab.sink()
        for number in 7...9 { try await lab.directory.turn(agent, to: number) }
        let (events, journal) = try await lab.shipped(reader)
        #expect(events.flaws(beside: before + journal.dropFirst(restored.count)) == [])
        #expect(Set(events.ids).count == events.ids.count)
        #expect(events.ids.last?.contains("~1-") == true)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a cursor that was copied from another machine, or is damaged, does no harm`() async throws {
        let (server, reader) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let texts = [
            #"{"version":1,"broker":"\#(server.url)","device":"edge-7","stream":"other","seq":9,"time":"2026-11-21T07:00:00Z"}"#,
            #"{"version":1,"broker":"\#(server.url)","#, "",
        ]
        for (number, text) in texts.enumerated() {
            try FileManager.default.createDirectory(atPath: lab.state, withIntermediateDirectories: true)
            try text.write(toFile: "\(lab.state)/plant.cursor", atomically: true, encoding: .utf8)
            let sink = try lab.sink()
            try await lab.directory.turn(agent, to: 3 + number)
            let (events, journal) = try await lab.shipped(reader)
            #expect(events.flaws(beside: journal) == [])
            sink.end()
            _ = await sink.rest()
        }
        #expect(try await agent.stop().status == 0)
    }
}
