import AgentTestKit
import Foundation
import Testing

/// The built `reachagent-sink` and three nats-servers, of which the stream's leader is killed while events come.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(5)))
struct IntegrationSinkClusterTests {
    /// The time from a kill until the stream has what came afterwards.
    private static let patience: Duration = .seconds(60)

    private let lab: SinkLab

    init() throws { lab = try SinkLab() }

    @Test func `a cluster has each event once, although its leaders are killed one after the other`()
        async throws
    {
        let cluster = try await NATSCluster()
        try cluster.makeStream("EVENTS")
        try lab.configure(SinkLab.sink("plant", cluster.url))
        var agent = try await lab.agent()
        let sink = try lab.sink()
        try await sink.next(containing: "sink plant: connected")
        // The sink is connected to any of the three.
        for number in [0, 1] {
            try await settle(cluster)
            let leader = try cluster.moveLeader(of: "EVENTS", to: [number])
            let changes = try CommandLines(
                lab.namespace.command("/bin/sh", ["-c", SinkStorm.changes(every: "0.01")])
            )
            try cluster.awaitMessages(cluster.count(of: "EVENTS") + 100, in: "EVENTS")
            await cluster.servers[leader].kill()
            let killed = ContinuousClock.now
            // Of these, some came before the kill, and some after it.
            let journal = try await lab.journal()
            try cluster.awaitMessages(journal.count + 50, in: "EVENTS")
            #expect(killed.duration(to: .now) < Self.patience)
            try await cluster.servers[leader].start()
            changes.end()
            _ = await changes.rest()
        }
        #expect(try await agent.stop().status == 0)
        agent = try await lab.agent()
        let journal = try await settle(cluster)
        let events = try ShippedEvents(of: "EVENTS", cluster.client(patience: 30))
        // A leader that goes may drop an event and keep a later one (docs/fleet.md).
        #expect(events.flaws(beside: journal).filter { $0 != "out of order" } == [])
        #expect(Set(events.ids).count == events.ids.count)
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    /// Waits until each server has everything that the journal has, and returns that.
    @discardableResult
    private func settle(_ cluster: NATSCluster) async throws -> [String] {
        let journal = try await lab.journal()
        try cluster.awaitReplicas(of: "EVENTS")
        try cluster.awaitMessages(journal.count, in: "EVENTS")
        return journal
    }
}
