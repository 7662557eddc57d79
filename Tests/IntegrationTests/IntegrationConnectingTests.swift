import AgentEvents
import AgentTestKit
import Testing

/// Lookups as a program's connect(2) makes them, on a real kernel.
@Suite(.inNamespace)
struct IntegrationConnectingTests {
    let namespace: NetworkNamespace

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
    }

    private func route(_ address: String, _ options: String = "") throws -> String {
        try namespace.run("\(BuiltAgent.path) route \(address) \(options) || true")
    }

    @Test(
        "a route for a single source prefix is a path, from an address in that prefix",
        arguments: ["default", "2000::/3"]
    )
    func sourceSpecific(_ destination: String) async throws {
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0")
        let route = "\(destination) from 2001:db8:1::/64"
        try namespace.run(
            "ip addr add 2001:db8:1::2/64 dev eth0 nodad; ip -6 route add \(route) via fe80::1 dev eth0"
        )
        let up = try await agent.next("reachability.changed") { $0.to?.path.ipv6?.via.rawValue == "other" }
        #expect(up.to?.path.ipv6?.source == "2001:db8:1::2")
        try namespace.ip("-6 route del \(route)")
        let lost = try await agent.next("reachability.changed") { $0.to?.path.ipv6?.via.rawValue == "none" }
        #expect(lost.to?.path.ipv6?.reason == "no_route")
    }

    @Test(
        "a rule that rejects the source that connect(2) chooses is distinguished from a missing route",
        arguments: [("blackhole", "route_blackhole"), ("prohibit", "route_prohibited")]
    )
    func refusedSource(_ action: String, _ reason: String) throws {
        try namespace.ip("addr add 2001:db8:1::2/64 dev eth0 nodad")
        #expect(try route("2001:503:ba3e::2:30").contains("no usable path: no_route"))
        try namespace.ip("-6 rule add pref 51 from 2001:db8:1::2 \(action)")
        #expect(try route("2001:503:ba3e::2:30").contains("no usable path: \(reason)"))
    }

    @Test("a source rule reroutes connected sockets, and the path of unconnected sockets is reported too")
    func sourceRule() throws {
        try namespace.run("ip route add default via 192.0.2.9 dev eth0 table 77; ip rule add from 192.0.2.2 lookup 77")
        let text = try route("198.41.0.4", "--json")
        #expect(text.contains(#""gateway":"192.0.2.9""#))
        #expect(text.contains(#""unconnected":{"interface":"eth0","gateway":"192.0.2.1"}"#))
    }

    @Test func `an unreachable rule that a goto skips is not the reason for a missing route`() throws {
        try namespace.run(
            """
            ip route del default
            ip rule add pref 10 goto 100; ip rule add pref 50 unreachable; ip rule add pref 100 nop
            """
        )
        #expect(try route("198.41.0.4").contains("no usable path: no_route"))
    }

    @Test(
        "a rule that rejects packets is distinguished from a missing route",
        arguments: ["", "from 192.0.2.2 ", "to 198.41.0.0/16 "]
    )
    func refusingRule(_ selector: String) throws {
        try namespace.ip("rule add pref 50 \(selector)unreachable")
        #expect(try route("198.41.0.4").contains("no usable path: route_unreachable"))
        try namespace.ip("rule del pref 50")
        try namespace.ip("rule add pref 50 \(selector)prohibit")
        #expect(try route("198.41.0.4").contains("no usable path: route_prohibited"))
        try namespace.ip("rule del pref 50")
        try namespace.ip("rule add pref 50 \(selector)blackhole")
        #expect(try route("198.41.0.4").contains("no usable path: route_blackhole"))
        try namespace.ip("rule del pref 50")
        try namespace.ip("route del default")
        #expect(try route("198.41.0.4").contains("no usable path: no_route"))
    }
}
