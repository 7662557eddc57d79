import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Storms: more messages than anybody wants, and more than the socket's buffer takes.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationStormTests {
    let namespace: NetworkNamespace

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
    }

    /// Has `ip -batch` read one line for each number, and runs a command after it.
    private func runBatch(_ count: Int, then command: String = "true", _ line: (Int) -> String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("batch", (0..<count).map(line).joined(separator: "\n"))
        try namespace.run("ip -batch \(file); \(command)")
        withExtendedLifetime(directory) {}
    }

    /// The numbers of all events follow each other without a hole.
    private func expectNoHole(_ events: [SeenEvent]) {
        let numbers = events.compactMap(\.seq)
        #expect(numbers == (0..<UInt64(numbers.count)).map { $0 + 1 })
    }

    @Test("after 1,000 edges of a flapping link, the state matches the kernel's")
    func flapStorm() async throws {
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0", "--settle-down", "0")
        // The last of the edges is a loss; only then does the default route get a metric of its own.
        try runBatch(
            1000,
            then: "ip link set far0 down; ip route replace default via 192.0.2.1 metric 7"
        ) { "link set far0 \($0.isMultiple(of: 2) ? "down" : "up")" }
        // The carrier's message comes from a work queue of the kernel's, perhaps behind the route's.
        let lost = try await agent.next("reachability.changed") {
            $0.to?.path.metric == 7 && $0.to?.via.rawValue == "none"
        }
        #expect(lost.to?.reason == "link_down")
        try namespace.ip("link set far0 up")
        try await agent.settles(on: "other")
        #expect(try await agent.stop().status == 0)
        expectNoHole(agent.events)
    }

    @Test("a receive buffer overrun is detected, and a resynchronization recovers the lost changes")
    func overrun() async throws {
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0", "--settle-down", "0")
        agent.signal(SIGSTOP)
        // Messages of links take about 2 KiB of the buffer each; without privilege it is at most 2 × rmem_max.
        try runBatch(40_000, then: "ip addr flush dev eth0") { "link set far0 mtu \(1400 + $0 % 2)" }
        agent.signal(SIGCONT)
        let overrun = try await agent.next("netlink.overrun", about: "agent")
        #expect(overrun.overrun?.code == "netlink_overrun")
        let resynced = try await agent.next("netlink.resynced", about: "agent")
        #expect((resynced.resynchronization?.corrections ?? 0) > 0)
        let lost = try await agent.settles(on: "none")
        #expect(lost.cause?.kind == "resync")
        // It listens as before.
        try namespace.run("ip addr add 192.0.2.2/24 dev eth0; ip route add default via 192.0.2.1")
        try await agent.settles(on: "other")
    }

    @Test("100,000 new routes publish nothing, because none of them can change a lookup")
    func routeFlood() async throws {
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0")
        try runBatch(100_000) { "route add 10.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)/32 dev eth0" }
        try namespace.ip("route replace default via 192.0.2.9 metric 100")
        let next = try await agent.nextEvent()
        #expect(next?.name == "path.changed")
        #expect(next?.to?.path.gateway == "192.0.2.9")
        // A new agent starts in the full table just as well.
        let once = try namespace.run("\(BuiltAgent.path) run --once")
        #expect(once.contains(#""gateway":"192.0.2.9""#))
    }
}
