import AgentEvents
import AgentTestKit
import Testing

/// A standby beside a dead path, and the way to it that the status suggests, on a real kernel.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationAlternativeTests {
    private let network: ConnectivityNetwork

    init() throws {
        network = try ConnectivityNetwork()
        try network.removeRoutes(of: .up0)
        try network.removeRoutes(of: .wwan0)
    }

    private func cutPreferred() throws { try network.machine.namespace.run("ip -n router link set r0 down") }

    /// Starts an agent, which then loses the preferred uplink, and with it the path, without an alternative.
    private func agentThatLosesPreferred() async throws -> ConnectivityAgent {
        let agent = try ConnectivityAgent(on: network, settleDown: "0", "")
        try await agent.next("reachability.changed", "wired") { $0.to?.via.rawValue == "wired" }
        try cutPreferred()
        let lost = try await agent.next("reachability.changed", "none") { $0.to?.via.rawValue == "none" }
        #expect(lost.to?.reason == "link_down")
        #expect(lost.to?.alternative == nil)
        return agent
    }

    /// The default route of the standby, whose metric the suggested command replaces.
    @Test(
        arguments: [
            ("", "via 198.51.100.1 dev wwan0", "198.51.100.2"),
            (
                "ip addr flush dev wwan0 scope global; ip addr add 198.51.100.2/32 dev wwan0",
                "via 198.51.100.1 dev wwan0 onlink", "198.51.100.2"
            ),
            (
                "ip addr add 198.51.100.44/24 dev wwan0", "via 198.51.100.1 dev wwan0 src 198.51.100.44",
                "198.51.100.44"
            ),
            ("", "via inet6 fe80::1 dev wwan0", "198.51.100.2"), ("", "dev wwan0", "198.51.100.2"),
        ]
    )
    func `the command that the status suggests makes the kernel prefer the standby`(
        preparation: String,
        route: String,
        source: String
    ) async throws {
        try network.machine.namespace.run(
            """
            \(preparation.isEmpty ? ":" : preparation); ip -4 route add default \(route) metric 700
            ip route add default via 192.0.2.1 dev up0 metric 100
            """
        )
        let agent = try ConnectivityAgent(on: network, settleDown: "0", "")
        try await agent.next("reachability.changed", "wired") { $0.to?.via.rawValue == "wired" }
        try cutPreferred()
        try await agent.next("reachability.changed", "wwan0") { $0.to?.alternative?.interface == "wwan0" }
        let status = try await agent.ask("status").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let command = try #require(status.firstMatch(of: /`(ip -4 route replace [^`]*)`/)?.1, "\(status)")
        #expect(command == "ip -4 route replace default \(route) metric 99")
        try network.machine.namespace.run(String(command))
        let found = try await agent.next("reachability.changed", "wwan") { $0.to?.via.rawValue == "wwan" }
        #expect(found.to?.path.source == source)
        #expect(try await agent.stop() == 0)
    }

    @Test func `a standby behind a kill switch is an alternative only once that is open`() async throws {
        try network.machine.namespace.run(
            """
            ip rule add pref 600 lookup 60
            ip route add default via 192.0.2.1 dev up0 table 60 metric 10
            ip route add blackhole default table 60 metric 1000
            ip route add default via 198.51.100.1 dev wwan0 metric 600
            """
        )
        let agent = try await agentThatLosesPreferred()
        try network.machine.namespace.ip("route del blackhole default table 60")
        let open = try await agent.next("reachability.changed", "with an alternative")
        #expect(open.to?.alternative?.interface == "wwan0")
        #expect(try await agent.stop() == 0)
    }

    /// The standby is in a table of its own, beside the main one, as on a host with a table for each of its addresses.
    private func separateStandby(_ family: String, _ selector: String) throws {
        let (preferred, standby) =
            family == "-4" ? ("192.0.2.1", "198.51.100.1") : ("2001:db8:1::1", "2001:db8:2::1")
        try network.machine.namespace.run(
            """
            ip \(family) rule add pref 600 \(selector) lookup 103
            ip \(family) route add default via \(preferred) dev up0 metric 100
            ip \(family) route add default via \(standby) dev wwan0 table 103
            """
        )
    }

    @Test(
        arguments: [
            ("-4", "from 198.51.100.2"), ("-4", "fwmark 1"), ("-6", "from 2001:db8:2::2"), ("-6", "fwmark 1"),
            ("-4", "iif lan0"), ("-6", "iif lan0"), ("-4", "oif wwan0"), ("-4", "ipproto udp dport 53"),
            ("-4", "tos 0x10"),
        ]
    )
    func `a standby in a table for some packets alone is no alternative`(
        family: String,
        selector: String
    ) async throws {
        try separateStandby(family, selector)
        let agent = try await agentThatLosesPreferred()
        // Nor does the kernel change to it, except by a source of IPv6, which it selects where it has no route.
        try network.machine.namespace.ip("link set up0 down")
        let down = try await agent.next("reachability.changed", "down") { $0.to?.reason != "link_down" }
        #expect(down.cause?.code == "link_down")
        #expect(down.cause?.detail == "up0: administratively down")
        if family == "-4" { #expect(down.to?.reason == "no_route") }
        #expect(try await agent.stop() == 0)
    }

    @Test(
        arguments: [
            ("rule add pref 600 lookup main suppress_ifgroup 7; ip rule del pref 32766; ip link set wwan0 group 7", ""),
            ("rule add pref 600 from 198.51.100.2 unreachable", ""), ("rule show", "tos 0x10"),
        ]
    )
    func `a standby whose default route is not for the machine's packets is no alternative`(
        change: String,
        selector: String
    ) async throws {
        try network.machine.namespace.run(
            """
            ip route add default via 192.0.2.1 dev up0 metric 100
            ip route add default \(selector) via 198.51.100.1 dev wwan0 metric 600
            ip \(change)
            """
        )
        let agent = try await agentThatLosesPreferred()
        // Nor can a packet leave through it once the preferred route is gone.
        try network.machine.namespace.ip("link set up0 down")
        let down = try await agent.next("reachability.changed", "down") { $0.to?.reason != "link_down" }
        #expect(["no_route", "route_unreachable"].contains(down.to?.reason))
        #expect(try await agent.stop() == 0)
    }

    @Test func `the commands that the status suggests lead to a standby that only a probe proves`() async throws {
        try await network.webServer()
        try separateStandby("-4", "from 198.51.100.2")
        let web = network.probe("web", "http://web.test/", #"families = "ipv4""#, #"interfaces = "each""#)
        let agent = try ConnectivityAgent(on: network, settleDown: "0", web)
        try await agent.next("uplink.changed", "wwan0 full") { event in
            event.subject == "wwan0" && event.uplink?.to.connectivity.rawValue == "full"
        }
        try cutPreferred()
        try await agent.next("reachability.changed", "wwan0") { $0.to?.alternative?.interface == "wwan0" }
        let status = try await agent.ask("status").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let commands = status.matches(of: /`(ip [^`]*)`/).map { String($0.1) }
        #expect(commands == ["ip link set up0 down", "ip -4 route add default via 198.51.100.1 dev wwan0"])
        for command in commands { try network.machine.namespace.run(command) }
        try await agent.next("reachability.changed", "wwan") { $0.to?.via.rawValue == "wwan" }
        #expect(try await agent.stop() == 0)
    }
}
