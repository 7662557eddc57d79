import AgentTestKit
import Foundation
import Testing

/// Both ends of a sink are killed again and again while events come.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(30)))
struct IntegrationSinkStormTests {
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
        Link(testDescription: "a short link", interval: "0.01", kills: SinkStorm.kills),
        Link(
            testDescription: "a link with round trips of two seconds, and losses",
            delay: .seconds(1),
            interval: "0.4",
            kills: max(1, SinkStorm.kills / 5)
        ),
    ]

    @Test(arguments: links)
    func `killed at random, the sink, the server and the agent neither lose nor double an event`(link: Link)
        async throws
    {
        let server = try await NATSServer()
        let lab = try SinkLab()
        // A window that is shorter than some outages: the server's memory of ids is not what prevents doubles.
        try NATSTestClient(port: server.port).makeStream("EVENTS", options: #""duplicate_window":100000000"#)
        let path = try link.delay.map {
            try TCPLink(to: server.port, delay: $0, loss: 0.05, seed: UInt64(SinkStorm.seed))
        }
        try lab.configure(SinkLab.sink("plant", path.map { "nats://127.0.0.1:\($0.port)" } ?? server.url))
        var storm = try await SinkStorm(lab, server)
        let changes = try CommandLines(
            lab.namespace.command("/bin/sh", ["-c", SinkStorm.changes(every: link.interval)])
        )
        let longest = link.delay.map { Int($0 / .milliseconds(1)) * 6 } ?? 300
        for _ in 0..<link.kills {
            // Connected, there is something to be disturbed: at once, or when much has been shipped.
            try await storm.sink.next(containing: "sink plant: connected")
            try await Task.sleep(for: .milliseconds(storm.random(0...longest)))
            try await storm.strike(cutting: path)
        }
        changes.end()
        _ = await changes.rest()
        let count = try await storm.judge()
        #expect(count > 10 * link.kills)
        print("\(link.kills) kills, \(count) events, \(link.testDescription)")
    }
}
