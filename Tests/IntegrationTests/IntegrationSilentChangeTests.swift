import AgentEvents
import AgentTestKit
import Testing

/// Other choices of the kernel without a message about routes, on a real kernel.
@Suite(.inNamespace)
struct IntegrationSilentChangeTests {
    let namespace: NetworkNamespace

    /// Two uplinks with an address of each family each and no route.
    init() throws {
        namespace = try NetworkNamespace()
        for number in 0...1 {
            try namespace.makeLink("eth\(number)", peer: "far\(number)", address: "10.\(number).0.2/24")
            try namespace.ip("-6 addr add 2001:db8:\(number)::2/64 dev eth\(number) nodad")
        }
    }

    private func run(settleDown: String = "0") async throws -> AgentProcess {
        try await AgentProcess.run(in: namespace, "--settle-up", "0", "--settle-down", settleDown)
    }

    private func moved(_ agent: AgentProcess, to interface: String) async throws -> SeenEvent {
        try await agent.next("reachability.changed") { $0.to?.path.interface == interface }
    }

    @Test("the path follows the kernel from a dead IPv6 router to the next one, and back")
    func deadRouter() async throws {
        for number in 0...1 {
            try namespace.ip("-6 route add default via 2001:db8:\(number)::1 dev eth\(number) metric \(number + 1)")
        }
        // The kernel does not announce an entry that is created as a failed one.
        try namespace.ip("-6 neigh replace 2001:db8:0::1 dev eth0 lladdr 02:00:00:00:00:01 nud permanent")
        let agent = try await run()
        try namespace.ip("-6 neigh replace 2001:db8:0::1 dev eth0 nud failed")
        #expect(try await moved(agent, to: "eth1").cause?.code == "neighbour_changed")
        try namespace.ip("-6 neigh replace 2001:db8:0::1 dev eth0 lladdr 02:00:00:00:00:01 nud permanent")
        let back = try await moved(agent, to: "eth0")
        #expect(back.cause?.kind == "neighbour")
    }

    @Test("the path follows the kernel from a dead IPv6 router to a default route that rejects packets")
    func deadRouterBeforeRefusal() async throws {
        try namespace.ip("-6 route add default via 2001:db8:0::1 dev eth0 metric 1")
        try namespace.ip("-6 route add unreachable default metric 9000")
        try namespace.ip("-6 neigh replace 2001:db8:0::1 dev eth0 lladdr 02:00:00:00:00:01 nud permanent")
        let agent = try await run()
        try namespace.ip("-6 neigh replace 2001:db8:0::1 dev eth0 nud failed")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.path.ipv6?.reason == "route_unreachable")
        try namespace.ip("-6 neigh replace 2001:db8:0::1 dev eth0 lladdr 02:00:00:00:00:01 nud permanent")
        _ = try await moved(agent, to: "eth0")
    }

    @Test("of two IPv4 routers with the same metric, the path follows the kernel away from the dead one")
    func deadTwin() async throws {
        for number in 0...1 {
            try namespace.ip("neigh replace 10.\(number).0.1 dev eth\(number) lladdr 02:00:00:00:00:01 nud permanent")
            try namespace.ip("route append default via 10.\(number).0.1 dev eth\(number) metric 100")
        }
        let agent = try await run()
        let first = try namespace.run("ip route get 198.41.0.4").contains("eth0") ? 0 : 1
        try namespace.ip("neigh replace 10.\(first).0.1 dev eth\(first) nud failed")
        #expect(try await moved(agent, to: "eth\(1 - first)").cause?.code == "neighbour_changed")
    }

    /// Makes a nexthop group of both uplinks' routers, whose link-layer addresses are known.
    private func makeGroup(_ routers: [String]) throws {
        for (number, router) in routers.enumerated() {
            try namespace.ip("neigh replace \(router) dev eth\(number) lladdr 02:00:00:00:00:01 nud permanent")
            try namespace.ip("nexthop add id \(number + 1) via \(router) dev eth\(number)")
        }
        try namespace.ip("nexthop add id 3 group 1/2")
    }

    @Test func `of a nexthop group for the halves of the default route, the path leaves the dead leg`() async throws {
        try makeGroup(["10.0.0.1", "10.1.0.1"])
        for half in ["0.0.0.0/1", "128.0.0.0/1"] { try namespace.ip("route add \(half) nhid 3") }
        let agent = try await run()
        let first = try namespace.run("ip route get 198.41.0.4").contains("eth0") ? 0 : 1
        try namespace.ip("neigh replace 10.\(first).0.1 dev eth\(first) nud failed")
        #expect(try await moved(agent, to: "eth\(1 - first)").cause?.code == "neighbour_changed")
    }

    @Test func `the path returns to the leg of an IPv6 nexthop group that was being resolved during a lookup`()
        async throws
    {
        try makeGroup(["2001:db8:0::1", "2001:db8:1::1"])
        try namespace.ip("-6 route add default nhid 3")
        let agent = try await run()
        let first = try namespace.run("ip -6 route get 2001:503:ba3e::2:30").contains("eth0") ? 0 : 1
        let router = "2001:db8:\(first)::1 dev eth\(first)"
        // An entry that the kernel makes incomplete has no message either; another change leads to a lookup.
        try namespace.ip("-6 neigh replace \(router) nud incomplete")
        try namespace.ip("-6 addr add 2001:db8:\(first)::7/64 dev eth\(first) nodad")
        _ = try await moved(agent, to: "eth\(1 - first)")
        try namespace.ip("-6 neigh replace \(router) lladdr 02:00:00:00:00:01 nud permanent")
        #expect(try await moved(agent, to: "eth\(first)").cause?.code == "neighbour_changed")
    }

    @Test("a default route is lost at the moment it expires, not at the next garbage collection")
    func expiry() async throws {
        try namespace.ip("-6 route add default via 2001:db8:1::1 dev eth1 metric 100")
        let agent = try await run()
        try namespace.ip("-6 route add default via 2001:db8:0::1 dev eth0 metric 5 expires 5")
        _ = try await moved(agent, to: "eth0")
        let left = try await moved(agent, to: "eth1")
        #expect(left.cause?.code == "route_expired")
        #expect(left.cause?.interface == "eth0")
        // The kernel still lists it: so it was not its removal that was noticed.
        #expect(try namespace.ip("-6 route show default").contains("dev eth0 metric 5"))
        #expect(try namespace.run("\(BuiltAgent.path) run --once").contains(#""metric":5,"#) == false)
    }

    @Test("the path follows a sysctl that changes the kernel's choice")
    func sysctl() async throws {
        for number in 0...1 {
            try namespace.ip("route add default via 10.\(number).0.1 dev eth\(number) metric \(number + 1)")
        }
        // The lookups that confirm the loss of the carrier end 52 ms after it. Until then one could see the effect of
        // the sysctl before the kernel's message about it, and would be the cause.
        let agent = try await run(settleDown: "1s")
        try namespace.ip("link set far0 down")
        try await agent.settles(on: "none")
        try namespace.run("sysctl -w net.ipv4.conf.all.ignore_routes_with_linkdown=1")
        let moved = try await moved(agent, to: "eth1")
        #expect(moved.cause?.kind == "sysctl")
        #expect(moved.cause?.code == "sysctl_changed")
    }

    @Test("a rule that suppresses a link group takes effect when a link joins the group")
    func group() async throws {
        try namespace.ip("route add default via 10.0.0.1 dev eth0")
        try namespace.run(
            """
            ip route add default via 10.1.0.1 dev eth1 table 77
            ip rule add table main suppress_ifgroup 7 priority 100; ip rule add table 77 priority 200
            """
        )
        let agent = try await run()
        try namespace.ip("link set eth0 group 7")
        let moved = try await moved(agent, to: "eth1")
        #expect(moved.cause?.kind == "link")
    }

    @Test("next hops of nexthop objects and groups are resolved when routes name only the objects")
    func objects() throws {
        try namespace.run(
            """
            sysctl -w net.ipv4.nexthop_compat_mode=0
            ip nexthop add id 1 via 10.0.0.1 dev eth0; ip nexthop add id 2 via 10.1.0.1 dev eth1
            ip nexthop add id 3 group 1/2,3; ip nexthop add id 4 via 2001:db8:0::1 dev eth0
            ip route add default nhid 3; ip -6 route add default nhid 4
            """
        )
        let once = try namespace.run("\(BuiltAgent.path) run --once")
        let group = #"{"interface":"eth0","gateway":"10.0.0.1"},{"interface":"eth1","gateway":"10.1.0.1","weight":3}"#
        #expect(once.contains(group))
        #expect(once.contains(#""nexthops":[{"interface":"eth0","gateway":"2001:db8::1"}]"#))
    }

    @Test(
        "a default route through a nexthop object is lost with the carrier or the link, even if removed silently",
        arguments: ["ip link set far0 down", "ip link set eth0 down"]
    )
    func ghost(_ loss: String) async throws {
        try namespace.run(
            """
            sysctl -w net.ipv4.nexthop_compat_mode=0
            ip nexthop add id 1 via 10.0.0.1 dev eth0; ip nexthop add id 4 via 2001:db8:0::1 dev eth0
            ip route add default nhid 1; ip -6 route add default nhid 4
            """
        )
        let agent = try await run()
        try namespace.run(loss)
        // The kernel removes the objects one after the other.
        try await agent.next("reachability.changed") {
            $0.to?.path.ipv6?.reason == "no_route" && $0.to?.via.rawValue == "none"
        }
        #expect(try namespace.ip("route show default").isEmpty)
    }

    @Test("the IPv6 default route of a routing daemon is found in a table that is too long to be dumped")
    func longTable() throws {
        try namespace.run(
            """
            for number in $(seq 5000); do
              printf 'route add 2001:db8:8000:%x::/64 via 2001:db8:0::1 dev eth0 proto bgp\\n' "$number"
            done | ip -6 -batch -
            ip -6 route add default via 2001:db8:0::1 dev eth0 proto bgp metric 20
            ip -6 route add default via 2001:db8:1::1 dev eth1 proto bird metric 30
            """
        )
        let once = try namespace.run("\(BuiltAgent.path) run --once")
        #expect(once.contains(#""metric":20,"nexthops":[{"interface":"eth0","gateway":"2001:db8::1"}]"#))
        #expect(once.contains(#""metric":30,"nexthops":[{"interface":"eth1","gateway":"2001:db8:1::1"}]"#))
    }
}
