import AgentEvents
import AgentTestKit
import Testing

/// Routes, tables, rules and nexthop objects on a real kernel.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationRoutingTests {
    let namespace: NetworkNamespace

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
    }

    @Test("the pair 0/1 and 128/1 takes over the default as an uplink of its own, and gives it back")
    func halves() async throws {
        try namespace.makeLink("tap0", peer: "far1", address: "203.0.113.2/24")
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0", "--settle-down", "0")
        try namespace.run("ip route add 0.0.0.0/1 via 203.0.113.1; ip route add 128.0.0.0/1 via 203.0.113.1")
        let over = try await agent.next("reachability.changed") { $0.to?.path.interface == "tap0" }
        #expect(over.to?.path.prefix == "128.0.0.0/1")
        let uplink = try await agent.next("uplink.changed", about: "tap0")
        #expect(uplink.uplink?.to.isUsed == true)
        try namespace.run("ip route del 0.0.0.0/1; ip route del 128.0.0.0/1")
        let back = try await agent.next("reachability.changed") { $0.to?.path.interface == "eth0" }
        #expect(back.to?.path.prefix == "0.0.0.0/0")
        let gone = try await agent.next("uplink.changed", about: "tap0") { $0.uplink?.to.isUsed == false }
        #expect(gone.uplink?.to.reason?.code == "no_route")
    }

    @Test("a full tunnel with its own table shows the underlay found through its mark exemption")
    func markedTunnel() async throws {
        try namespace.makeLink("wg0", peer: "far1", address: "203.0.113.2/24")
        let agent = try await AgentProcess.run(
            in: namespace,
            "--interface-kind",
            "wg*=tunnel",
            "--interface-kind",
            "eth*=wired",
            "--settle-up",
            "0"
        )
        try namespace.run(
            "ip route add default dev wg0 table 51820; ip rule add not fwmark 0xca6c table 51820 priority 100"
        )
        // The kernel's lookup may know the rule before its message has come: until then the evidence is weaker.
        let through = try await agent.next("reachability.changed") { event in
            event.to?.path.interface == "wg0" && event.to?.path.underlay?.evidence == "mark_exemption"
        }
        #expect(through.to?.via.rawValue == "wired")
        #expect(through.to?.path.table == 51820)
        #expect(through.to?.path.underlay?.interface == "eth0")
        try namespace.ip("link set far0 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.reason == "underlay_down")
    }

    @Test(
        "a default route that rejects packets is not a path, and the reason names its type",
        arguments: [
            ("unreachable", "route_unreachable"), ("blackhole", "route_blackhole"), ("prohibit", "route_prohibited"),
        ]
    )
    func refusal(_ type: String, _ reason: String) async throws {
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "0")
        try namespace.ip("route add \(type) default metric 1")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.path.ipv4?.reason == reason)
        try namespace.ip("route del \(type) default metric 1")
        try await agent.settles(on: "other")
    }

    @Test("a default route through a nexthop object disappears with the object, without a route message")
    func nexthopObject() async throws {
        try namespace.ip("route del default")
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "0", "--settle-up", "0")
        try namespace.run("ip nexthop add id 7 via 192.0.2.1 dev eth0; ip route add default nhid 7")
        let up = try await agent.settles(on: "other")
        #expect(up.to?.path.gateway == "192.0.2.1")
        try namespace.ip("nexthop replace id 7 via 192.0.2.9 dev eth0")
        let moved = try await agent.next("reachability.changed")
        #expect(moved.to?.path.gateway == "192.0.2.9")
        try namespace.ip("nexthop del id 7")
        try await agent.settles(on: "none")
    }

    @Test("a default route with several next hops is one path through one of them")
    func multipath() async throws {
        try namespace.makeLink("eth1", peer: "far1", address: "198.51.100.2/24")
        try namespace.ip("route del default")
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0")
        try namespace.ip(
            "route add default nexthop via 192.0.2.1 dev eth0 weight 1 nexthop via 198.51.100.1 dev eth1 weight 2"
        )
        let up = try await agent.settles(on: "other")
        #expect(["eth0", "eth1"].contains(up.to?.path.interface ?? ""))
        let once = try namespace.run("\(BuiltAgent.path) run --once")
        #expect(once.contains(#""nexthops":[{"interface":"eth0","gateway":"192.0.2.1"},{"interface":"eth1""#))
        #expect(once.contains(#""weight":2"#))
    }

    @Test("a machine with only IPv6 is reachable through IPv6")
    func ipv6Only() async throws {
        try namespace.ip("addr flush dev eth0")
        try namespace.run("ip addr add 2001:db8::2/64 dev eth0 nodad; ip -6 route add default via 2001:db8::1 dev eth0")
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "0")
        try namespace.ip("-6 route del default")
        let lost = try await agent.settles(on: "none")
        #expect(lost.from?.path.ipv6?.via.rawValue == "other")
        #expect(lost.from?.path.ipv4?.via.rawValue == "none")
    }

    @Test("a target has its own path, which a host route changes without affecting the default")
    func target() async throws {
        try namespace.makeLink("eth1", peer: "far1", address: "198.51.100.2/24")
        let agent = try await AgentProcess.run(
            in: namespace,
            "--target",
            "office=203.0.113.7",
            "--settle-up",
            "0",
            "--settle-down",
            "0"
        )
        let first = agent.events.count
        try namespace.ip("route add 203.0.113.0/29 via 198.51.100.1")
        let moved = try await agent.next("target.changed", about: "office") { $0.to?.path.interface == "eth1" }
        #expect(moved.to?.path.prefix == "203.0.113.0/29")
        try namespace.ip("route replace unreachable 203.0.113.0/29")
        let lost = try await agent.next("target.changed", about: "office") { $0.to?.via.rawValue == "none" }
        #expect(lost.to?.reason == "route_unreachable")
        #expect(try await agent.stop().status == 0)
        #expect(!agent.events.dropFirst(first).contains { $0.subject == "default" })
    }

    @Test("a group is reached on the link of the default route", arguments: ["224.0.0.251", "255.255.255.255"])
    func group(address: String) async throws {
        let agent = try await AgentProcess.run(
            in: namespace,
            "--target",
            "group=\(address)",
            "--settle-up",
            "0",
            "--settle-down",
            "0"
        )
        try namespace.ip("route del default")
        let lost = try await agent.next("target.changed", about: "group") { $0.to?.via.rawValue == "none" }
        #expect(lost.to?.reason == "no_route")
        try namespace.ip("route add default via 192.0.2.1")
        let back = try await agent.next("target.changed", about: "group") { $0.to?.via.isReachable == true }
        #expect(back.to?.path.interface == "eth0")
        #expect(back.to?.path.gateway == nil)
    }

    @Test("a policy rule for all packets sends the default through another table")
    func policyRule() async throws {
        try namespace.makeLink("eth1", peer: "far1", address: "198.51.100.2/24")
        try namespace.ip("route add default via 198.51.100.1 dev eth1 table 77")
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0")
        try namespace.ip("rule add from all table 77 priority 50")
        let moved = try await agent.next("reachability.changed") { $0.to?.path.interface == "eth1" }
        #expect(moved.to?.path.table == 77)
        #expect(moved.cause?.kind == "rule")
        // A mark that our packets do not have changes nothing for them.
        try namespace.ip("rule add fwmark 0x7 unreachable priority 10")
        try namespace.ip("rule del from all table 77 priority 50")
        let back = try await agent.next("reachability.changed")
        #expect(back.to?.path.interface == "eth0")
    }

    @Test("a rule for UDP alone does not decide the path, and one for TCP does")
    func protocolRules() async throws {
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0", "--settle-down", "0")
        try namespace.ip("rule add pref 40 ipproto udp blackhole")
        try namespace.ip("rule add pref 30 ipproto tcp prohibit")
        let lost = try await agent.next("reachability.changed")
        #expect(lost.to?.via.isReachable == false)
        #expect(lost.to?.path.reason == "route_prohibited")
        try namespace.ip("rule del pref 30")
        let back = try await agent.next("reachability.changed")
        #expect(back.to?.path.interface == "eth0")
    }
}
