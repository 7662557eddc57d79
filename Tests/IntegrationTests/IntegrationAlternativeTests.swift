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
        let agent = try ConnectivityAgent(on: network, settleDown: "0", "")
        try await agent.next("reachability.changed", "wired") { $0.to?.via.rawValue == "wired" }
        try cutPreferred()
        let lost = try await agent.next("reachability.changed", "none") { $0.to?.via.rawValue == "none" }
        #expect(lost.to?.reason == "link_down")
        #expect(lost.to?.alternative == nil)
        try network.machine.namespace.ip("route del blackhole default table 60")
        let open = try await agent.next("reachability.changed", "with an alternative")
        #expect(open.to?.alternative?.interface == "wwan0")
        #expect(try await agent.stop() == 0)
    }
}
