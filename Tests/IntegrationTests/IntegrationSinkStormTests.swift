import AgentTestKit
import Foundation
import Testing

/// Both ends of a sink are killed again and again while events come.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(30)))
struct IntegrationSinkStormTests {
    /// The number of kills on a short link; `make soak` sets another one.
    private static let kills = ProcessInfo.processInfo.environment["SINK_STORM_KILLS"].flatMap { Int($0) } ?? 20
    private static let seed = ProcessInfo.processInfo.environment["SINK_STORM_SEED"].flatMap { UInt64($0) } ?? 21

    /// The link between the sink and the server.
    struct Link: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The time that a byte takes; a link with one also loses segments, and whole connections.
        var delay: Duration?
        /// The seconds between two changes: no more events than the window lets over the link.
        var interval: String
        var kills: Int
    }

    static let links = [
        Link(testDescription: "a short link", interval: "0.01", kills: kills),
        Link(
            testDescription: "a link with round trips of two seconds, and losses",
            delay: .seconds(1),
            interval: "0.4",
            kills: max(1, kills / 5)
        ),
    ]

    /// Changes the default route for as long as its input is open.
    private static func changes(every interval: String) -> String {
        """
        number=2
        while true; do
          number=$((number % 200 + 2))
          ip route replace default via 192.0.2.$number dev eth0 metric 100
          sleep \(interval)
        done
        """
    }

    @Test(arguments: links)
    func `killed at random, the sink, the server and the agent neither lose nor double an event`(link: Link)
        async throws
    {
        var random = SplitMix(state: Self.seed)
        let server = try await NATSServer()
        let lab = try SinkLab()
        // A window that is shorter than some outages: the server's memory of ids is not what prevents doubles.
        try NATSTestClient(port: server.port).makeStream("EVENTS", options: #""duplicate_window":100000000"#)
        let path = try link.delay.map { try TCPLink(to: server.port, delay: $0, loss: 0.05, seed: Self.seed) }
        try lab.configure(SinkLab.sink("plant", path.map { "nats://127.0.0.1:\($0.port)" } ?? server.url))
        var agent = try await lab.agent()
        var sink = try lab.sink()
        let changes = try CommandLines(lab.namespace.command("/bin/sh", ["-c", Self.changes(every: link.interval)]))
        let longest = link.delay.map { Int($0 / .milliseconds(1)) * 6 } ?? 300
        for _ in 0..<link.kills {
            // Connected, there is something to be disturbed: at once, or when much has been shipped.
            try await sink.next(containing: "sink plant: connected")
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...longest, using: &random)))
            switch Int.random(in: 0..<(path == nil ? 10 : 15), using: &random) {
            case 0..<5:
                sink.signal(SIGKILL)
                _ = await sink.rest()
                sink = try lab.sink()
            case 5..<9:
                await server.kill()
                try await server.start()
            case 10...: path?.cut()
            default:
                _ = try await agent.stop(SIGKILL)
                agent = try await lab.agent()
                sink.signal(SIGKILL)
                _ = await sink.rest()
                sink = try lab.sink()
            }
        }
        changes.end()
        _ = await changes.rest()
        #expect(try await agent.stop().status == 0)
        agent = try await lab.agent()
        let journal = try await lab.journal()
        let reader = try NATSTestClient(port: server.port)
        try reader.awaits(try #require(journal.last), in: "EVENTS")
        let events = try ShippedEvents(of: "EVENTS", reader)
        #expect(events.flaws(beside: journal) == [])
        #expect(Set(events.ids).count == events.ids.count)
        #expect(journal.count > 10 * link.kills)
        print("\(link.kills) kills, \(journal.count) events, \(link.testDescription)")
        sink.end()
        #expect(try await agent.stop().status == 0)
    }
}
