import Testing

/// The bytes on the wire that a check reports, against the link's own counters.
@Suite(.inNamespace, .serialized)
struct IntegrationProbeBudgetTests {
    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork()
        // IPv6 sends packets of its own on every link.
        try network.namespace.run(
            "sysctl -qw net.ipv6.conf.default.disable_ipv6=1 net.ipv4.ping_group_range='0 0'"
        )
        try network.addRouter("left", link: "eth0", addresses: [("192.0.2.2/24", "192.0.2.1/24")])
    }

    private func carried() throws -> Int {
        try network.namespace.run("cat /sys/class/net/eth0/statistics/[rt]x_bytes").split(separator: "\n")
            .compactMap { Int($0) }.reduce(0, +)
    }

    @Test(arguments: ["http://192.0.2.1/", "tcp://192.0.2.1:80", "tcp://192.0.2.1:9", "icmp://192.0.2.1"])
    func `no check counts less than its link has carried, nor a multiple of it`(target: String) async throws {
        let server = try network.serve("http", at: "192.0.2.1", port: 80, on: "left")
        // After it, the neighbours have resolved each other: those packets would count on the link alone.
        _ = try await network.probe("tcp://192.0.2.1:9")
        try network.namespace.run(
            """
            ip neigh change 192.0.2.1 dev eth0 nud permanent
            ip -n left neigh change 192.0.2.2 dev far nud permanent
            # Nor is what IPv6 sends of itself (router solicitations, reports of groups).
            sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1
            ip netns exec left sysctl -qw net.ipv6.conf.far.disable_ipv6=1
            """
        )
        let before = try carried()
        let report = try await network.probe(target)
        let bytes = try carried() - before
        #expect(report.content.code != "no_route")
        #expect(report.content.bytes_on_wire >= bytes)
        #expect(report.content.bytes_on_wire <= 2 * bytes + 1000)
        #expect(bytes > 90)
        _ = server.stop()
    }
}
