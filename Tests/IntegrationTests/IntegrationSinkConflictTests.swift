import AgentTestKit
import Foundation
import Testing

/// Two machines that ship to one stream under one name.
@Suite(.inNamespace, .withNATS, .onOwnThread, .timeLimit(.minutes(5)))
struct IntegrationSinkConflictTests {
    @Test func `the machine that started last ships, and the other one shows a conflict and does not retry`()
        async throws
    {
        let server = try await NATSServer()
        let reader = try NATSTestClient(port: server.port)
        // The server's memory of ids is not what prevents doubles.
        try reader.makeStream("EVENTS", options: #""duplicate_window":100000000"#)
        let labs = (first: try SinkLab(), second: try SinkLab())
        let link = try TCPLink(to: server.port, delay: .zero)
        try labs.first.configure(SinkLab.sink("plant", "nats://127.0.0.1:\(link.port)"))
        try labs.second.configure(SinkLab.sink("plant", server.url))

        let firstAgent = try await labs.first.agent()
        var firstSink = try labs.first.sink()
        for number in 3...5 { try await labs.first.directory.turn(firstAgent, to: number) }
        try reader.awaits(try #require(await labs.first.journal().last), in: "EVENTS")
        let secondAgent = try await labs.second.agent()
        let secondSink = try labs.second.sink()
        for number in 3...5 { try await labs.second.directory.turn(secondAgent, to: number) }
        try reader.awaits(try #require(await labs.second.journal().last), in: "EVENTS")

        try await labs.first.directory.turn(firstAgent, to: 6)
        try await firstSink.next(containing: "another machine ships as 'edge-7'")
        for number in 6...60 { try await labs.second.directory.turn(secondAgent, to: number) }
        let second = try await labs.second.journal()
        try reader.awaits(try #require(second.last), in: "EVENTS")
        let status = try await labs.first.status(of: "plant")
        #expect(status["code"] as? String == "broker_conflict")
        #expect(link.connectionCount < 12, "the attempts become rarer")

        // With its name to itself, and started anew, it ships what has waited.
        secondSink.end()
        _ = await secondSink.rest()
        firstSink.signal(SIGTERM)
        _ = await firstSink.rest()
        firstSink = try labs.first.sink()
        try await labs.first.directory.turn(firstAgent, to: 7)
        let first = try await labs.first.journal()
        try reader.awaits(try #require(first.last), in: "EVENTS")
        let events = try ShippedEvents(of: "EVENTS", reader)
        #expect(Set(events.ids).count == events.ids.count)
        for journal in [first, second] {
            let own = Set(journal)
            #expect(events.payloads.filter { own.contains($0) } == journal)
        }
        #expect(events.payloads.count == first.count + second.count)
        firstSink.end()
        #expect(try await firstAgent.stop().status == 0)
        #expect(try await secondAgent.stop().status == 0)
    }
}
