import AgentTestKit
import Foundation
import Testing

/// Both ends of a sink are killed again and again while events come.
///
/// All storms come at once: most of their time is waiting for long links.
@Suite(.inNamespace, .onOwnThread, .timeLimit(.minutes(30)))
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

    @Test(.withNATS, arguments: links)
    func `when sink, server and agent are killed at random, no event is lost or duplicated`(link: Link) async throws {
        let server = try await NATSServer()
        // A window that is shorter than some outages: the server's memory of ids is not what prevents doubles.
        try NATSTestClient(port: server.port).makeStream("EVENTS", options: #""duplicate_window":100000000"#)
        try await expectAll(over: link, "nats", server.port, server) { try server.expectAll(of: $0) }
    }

    @Test(.withMosquitto, arguments: links)
    func `when sink, broker and agent are killed at random, no event is lost on the path to a reader`(link: Link)
        async throws
    {
        let broker = try await ObservedBroker()
        try await expectAll(over: link, "mqtt", broker.port, broker) { journal in
            let lines = try await broker.reader.lines(to: try #require(journal.last))
            let events = lines.filter { !$0.hasPrefix("reachagent/edge-7/stat") }
                .compactMap { line in line.firstIndex(of: "{").map { String(line[$0...]) } }
            // Events that came again after a connection ended are known by their ids; without them all are in order.
            var seen: Set<String> = []
            #expect(events.filter { seen.insert($0).inserted } == journal)
        }
    }

    /// Kills and cuts while events come, and compares the arrived ones with the journal.
    private func expectAll(
        over link: Link,
        _ scheme: String,
        _ port: UInt16,
        _ server: any KillableServer,
        compare: ([String]) async throws -> Void
    ) async throws {
        let lab = try SinkLab()
        let path = try link.delay.map { try TCPLink(to: port, delay: $0, loss: 0.05, seed: UInt64(SinkStorm.seed)) }
        try lab.configure(SinkLab.sink("plant", "\(scheme)://127.0.0.1:\(path?.port ?? port)"))
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
        let count = try await storm.judge(compare)
        #expect(count > 10 * link.kills)
        print("\(link.kills) kills, \(count) events, \(scheme), \(link.testDescription)")
    }
}

/// A mosquitto with a reader that has a session, so that messages wait for it while it is not connected.
private final class ObservedBroker: KillableServer {
    let broker: MosquittoBroker
    let reader: CommandLines

    var port: UInt16 { broker.port }

    init() async throws {
        var options = MosquittoBroker.Options()
        // All that is acknowledged has been sent to a reader that is connected: without this, some of it waits in memory.
        options.configuration = ["max_inflight_messages 0", "max_queued_messages 0"]
        // So that the broker's own losses do not count, only the session is stored. A broker that stores each message is busy
        // with that alone, sends thousands of old ones again after each start, and is killed with new ones behind them in
        // its memory.
        options.configuration.append("autosave_interval 0")
        broker = try await MosquittoBroker(options)
        reader = try await broker.subscribe(to: ["reachagent/edge-7/+"], asSession: Self.name)
        try await broker.save()
    }

    private static let name = "observer"

    func kill() async { await broker.kill(afterReadingBy: reader, asSession: Self.name) }

    func start() async throws {
        try await broker.start()
        try await broker.log(containing: "Sending SUBACK to \(Self.name)")
    }
}
