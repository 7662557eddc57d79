import AgentTestKit
import Testing

/// The state of each uplink of a machine with two, in events and hooks.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationConnectivityUplinkTests {
    private let network: ConnectivityNetwork

    init() async throws {
        network = try ConnectivityNetwork()
        try await network.webServer()
    }

    /// A probe over each uplink, and a hook for the uplinks.
    private func agent() async throws -> ConnectivityAgent {
        let web = network.probe("web", "http://web.test/", #"families = "ipv4""#, #"interfaces = "each""#)
        let hook = """
            [hook.uplinks]
            command = ["sh", "-c", "echo $REACH_UPLINK $REACH_FROM_CONNECTIVITY $REACH_TO_CONNECTIVITY $REACH_REASON"]
            on = "uplink.changed"
            when = { interface = "wwan0" }
            queue = "all"

            """
        let agent = try ConnectivityAgent(on: network, web + hook)
        let full = try await agent.next("uplink.changed", "wwan0 full") { $0.subject == "wwan0" }
        #expect(full.data.to?.connectivity == "full")
        #expect(full.data.to?.used == false)
        // Either of the two may come first.
        if agent.states.isEmpty { try await agent.settles("wired full") }
        return agent
    }

    @Test
    func `a standby without carrier is an event and runs a hook, and its probe is no longer up before that`()
        async throws
    {
        let agent = try await agent()
        try network.machine.namespace.run("ip -n router link set r1 down")
        let lost = try await agent.next("uplink.changed", "wwan0 none") { $0.subject == "wwan0" }
        #expect(lost.data.from?.connectivity == "full")
        #expect(lost.data.to?.connectivity == "none")
        #expect(lost.data.to?.used == false)
        #expect(lost.data.cause?.code == "link_down")
        let ended = try #require(agent.events.last { $0.point == "web wwan0 ipv4" })
        #expect(ended.name == "probe.changed")
        #expect(ended.data.from?.verdict == "up")
        #expect(ended.data.to?.verdict == "unknown")
        #expect((ended.seq ?? .max) < (lost.seq ?? 0))
        let run = try await agent.next("hook.completed", "of the loss") { $0.data.trigger_seq == lost.seq }
        #expect(run.data.output == "wwan0 full none link_down\n")
        try network.machine.namespace.run(
            "ip -n router link set r1 up; ip route replace default via 198.51.100.1 dev wwan0 metric 700"
        )
        try await agent.next("uplink.changed", "wwan0 full") {
            $0.subject == "wwan0" && $0.data.to?.connectivity == "full"
        }
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full"])
        #expect(agent.standings(of: "web wwan0 ipv4") == ["up", "unknown", "up"])
    }

    @Test
    func `a standby whose probe fails is an event, and the state stays what it is`() async throws {
        let agent = try await agent()
        try network.forward("iifname r1 drop")
        let lost = try await agent.next("uplink.changed", "wwan0 local") { $0.subject == "wwan0" }
        #expect(lost.data.to?.connectivity == "local")
        #expect(lost.data.cause?.code == "connect_timeout")
        try network.repair()
        let back = try await agent.next("uplink.changed", "wwan0 full") { $0.subject == "wwan0" }
        #expect(back.data.to?.connectivity == "full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full"])
    }
}
