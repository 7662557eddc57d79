import AgentEvents
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

    private static let hook = """
        [hook.uplinks]
        command = ["sh", "-c", "echo $REACH_UPLINK $REACH_FROM_CONNECTIVITY $REACH_TO_CONNECTIVITY $REACH_REASON"]
        on = "uplink.changed"
        when = { interface = "wwan0" }
        queue = "all"

        """

    /// A probe over each uplink, and a hook for the uplinks.
    private func agent() async throws -> ConnectivityAgent {
        let web = network.probe("web", "http://web.test/", #"families = "ipv4""#, #"interfaces = "each""#)
        let agent = try ConnectivityAgent(on: network, web + Self.hook)
        let full = try await agent.next("uplink.changed", "wwan0 full") { $0.subject == "wwan0" }
        #expect(full.uplink?.to.connectivity.rawValue == "full")
        #expect(full.uplink?.to.isUsed == false)
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
        #expect(lost.uplink?.from.connectivity.rawValue == "full")
        #expect(lost.uplink?.to.connectivity.rawValue == "none")
        #expect(lost.uplink?.to.isUsed == false)
        #expect(lost.cause?.code == "link_down")
        let ended = try #require(agent.events.last { $0.point == "web wwan0 ipv4" })
        #expect(ended.name == "probe.changed")
        #expect(ended.probe?.from.verdict == "up")
        #expect(ended.probe?.to.verdict == "unknown")
        #expect((ended.seq ?? .max) < (lost.seq ?? 0))
        let run = try await agent.next("hook.completed", "of the loss") { $0.run?.triggerSequence == lost.seq }
        #expect(run.run?.output == "wwan0 full none link_down\n")
        try network.machine.namespace.run(
            "ip -n router link set r1 up; ip route replace default via 198.51.100.1 dev wwan0 metric 700"
        )
        try await agent.next("uplink.changed", "wwan0 full") {
            $0.subject == "wwan0" && $0.uplink?.to.connectivity.rawValue == "full"
        }
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full"])
        #expect(agent.states(of: "web wwan0 ipv4") == ["up", "unknown", "up"])
    }

    @Test
    func `an interface that only a probe is bound to is an uplink, with events and hooks of its own`() async throws {
        try network.removeRoutes(of: .wwan0)
        try network.machine.namespace.ip("route add 203.0.113.0/24 via 198.51.100.1 dev wwan0")
        let web = network.probe("web", "http://web.test/", #"families = "ipv4""#, #"interfaces = ["wwan0"]"#)
        let agent = try ConnectivityAgent(on: network, web + Self.hook)
        let full = try await agent.next("uplink.changed", "wwan0 full") { $0.subject == "wwan0" }
        #expect(full.uplink?.to.connectivity.rawValue == "full")
        #expect(full.uplink?.to.isBoundOnly == true)
        #expect(full.uplink?.to.isUsed == false)
        try network.machine.namespace.run("ip -n router link set r1 down")
        let lost = try await agent.next("uplink.changed", "wwan0 none") { $0.subject == "wwan0" }
        #expect(lost.uplink?.to.connectivity.rawValue == "none")
        #expect(lost.cause?.code == "link_down")
        let run = try await agent.next("hook.completed", "of the loss") { $0.run?.triggerSequence == lost.seq }
        #expect(run.run?.output == "wwan0 full none link_down\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "web wwan0 ipv4") == ["up", "unknown"])
    }

    @Test
    func `a preferred path without carrier names the working standby, and a sysctl lets the kernel prefer it`()
        async throws
    {
        try network.machine.namespace.run("ip -6 route del default dev up0; ip -6 route del default dev wwan0")
        let agent = try await agent()
        try network.machine.namespace.run("ip -n router link set r0 down")
        let lost = try await agent.next("reachability.changed", "none") { $0.to?.via.rawValue == "none" }
        #expect(lost.to?.alternative?.code == "preferred_path_dead")
        #expect(lost.to?.alternative?.preferred == "up0")
        #expect(lost.to?.alternative?.interface == "wwan0")
        let status = try await agent.ask("status")
        #expect(status.output.contains("sysctl net/ipv4/conf/up0/ignore_routes_with_linkdown=1"))
        try network.machine.namespace.run("sysctl -qw net/ipv4/conf/up0/ignore_routes_with_linkdown=1")
        let found = try await agent.next("reachability.changed", "wwan") { $0.to?.via.rawValue == "wwan" }
        #expect(found.to?.alternative == nil)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a standby whose answers this machine discards is unknown, and not dead`() async throws {
        let agent = try await agent()
        try network.machine.namespace.run("sysctl -qw net.ipv4.conf.all.rp_filter=1 net.ipv4.conf.wwan0.rp_filter=1")
        let lost = try await agent.next("uplink.changed", "wwan0 unknown") { $0.subject == "wwan0" }
        #expect(lost.uplink?.to.connectivity.rawValue == "unknown")
        #expect(lost.uplink?.to.reason?.code == "reverse_path_filter")
        let status = try await agent.ask("status")
        #expect(status.output.contains("sysctl net/ipv4/conf/wwan0/rp_filter=2"))
        try network.machine.namespace.run("sysctl -qw net/ipv4/conf/wwan0/rp_filter=2")
        let back = try await agent.next("uplink.changed", "wwan0 full") { $0.subject == "wwan0" }
        #expect(back.uplink?.to.connectivity.rawValue == "full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full"])
        #expect(agent.states(of: "web wwan0 ipv4") == ["up", "unknown reverse_path_filter", "up"])
    }

    @Test
    func `a standby whose probe fails is an event, and the state does not change`() async throws {
        let agent = try await agent()
        try network.forward("iifname r1 drop")
        let lost = try await agent.next("uplink.changed", "wwan0 local") { $0.subject == "wwan0" }
        #expect(lost.uplink?.to.connectivity.rawValue == "local")
        #expect(lost.cause?.code == "connect_timeout")
        try network.repair()
        let back = try await agent.next("uplink.changed", "wwan0 full") { $0.subject == "wwan0" }
        #expect(back.uplink?.to.connectivity.rawValue == "full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full"])
    }
}
