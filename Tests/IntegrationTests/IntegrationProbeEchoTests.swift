import AgentTestKit
import Testing

/// ICMP echo requests of an unprivileged process, to routers that answer, refuse and discard.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationProbeEchoTests {
    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork()
        try network.addRouter(
            "far",
            link: "eth0",
            addresses: [("192.0.2.2/24", "192.0.2.1/24"), ("2001:db8::2/64", "2001:db8::1/64")]
        )
        try network.namespace.run(
            """
            ip route add default via 192.0.2.1; ip route add default via 2001:db8::1
            ip -n far link add behind type veth peer name beyond
            ip -n far link set beyond up; ip -n far link set behind up
            ip -n far route add 198.18.0.0/24 dev behind; ip -n far route add 2001:db8:5::/64 dev behind
            ip -n far route add unreachable 198.18.1.0/24; ip -n far route add unreachable 2001:db8:6::/64
            ip -n far route add prohibit 198.18.2.0/24; ip -n far route add prohibit 2001:db8:7::/64
            ip -n far route add blackhole 198.18.3.0/24; ip -n far route add blackhole 2001:db8:8::/64
            """
        )
    }

    private func openGroupRange() throws {
        try network.namespace.run("sysctl -qw net.ipv4.ping_group_range='0 0'")
    }

    @Test(arguments: [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")])
    func `a reply has its size, its sender and its hops left`(address: String, local: String) async throws {
        try openGroupRange()
        let report = try await network.probe("icmp://\(address)")
        #expect(report.outcome == "ok 0")
        #expect(report.hop?.answer == "64 bytes from \(address), 64 hops left")
        #expect(report.hop?.interface == "eth0")
        #expect(report.hop?.local == local)
    }

    /// A new namespace begins with a range that nobody is in.
    @Test
    func `a group range without this process is reported, and is no result about the target`() async throws {
        let range = try network.namespace.run("cat /proc/sys/net/ipv4/ping_group_range").split { $0.isWhitespace }
        for address in ["192.0.2.1", "2001:db8::1"] {
            let report = try await network.probe("icmp://\(address)")
            #expect(report.outcome == "unknown icmp_not_permitted 75")
            #expect(report.evidence.contains("is '\(range.joined(separator: " "))', and this process has group 0"))
        }
    }

    @Test(arguments: [
        ("198.18.0.1", "192.0.2.1 answered: time to live exceeded"),
        ("2001:db8:5::1", "2001:db8::1 answered: hop limit exceeded"),
    ])
    func `a path that is too long names the router at which the request died`(address: String, evidence: String)
        async throws
    {
        try openGroupRange()
        try network.namespace.run("sysctl -qw net.ipv4.ip_default_ttl=1 net.ipv6.conf.eth0.hop_limit=1")
        let report = try await network.probe("icmp://\(address)")
        #expect(report.outcome == "failed icmp_unreachable 1")
        #expect(report.evidence == evidence)
    }

    @Test(arguments: [
        ("198.18.1.1", "192.0.2.1 answered: host unreachable"),
        ("198.18.2.1", "192.0.2.1 answered: communication administratively prohibited"),
        ("198.18.9.1", "192.0.2.1 answered: network unreachable"),
        ("2001:db8:6::1", "2001:db8::1 answered: no route to destination"),
        ("2001:db8:7::1", "2001:db8::1 answered: administratively prohibited"),
        ("2001:db8:9::1", "2001:db8::1 answered: no route to destination"),
    ])
    func `a router without a route is named with its reason`(address: String, evidence: String) async throws {
        try openGroupRange()
        let report = try await network.probe("icmp://\(address)")
        #expect(report.outcome == "failed icmp_unreachable 1")
        #expect(report.evidence == evidence)
    }

    @Test(arguments: ["198.18.3.1", "2001:db8:8::1"])
    func `a black hole ends with the check's deadline`(address: String) async throws {
        try openGroupRange()
        let report = try await network.probe(within: .seconds(3), "icmp://\(address)", "--timeout", "1s")
        #expect(report.outcome == "failed timeout 1")
        #expect(report.wallTime < .seconds(3))
    }

    @Test(arguments: ["unreachable", "blackhole", "prohibit", "throw"])
    func `a local route that rejects packets is no result about the target`(type: String) async throws {
        try openGroupRange()
        try network.namespace.run("ip route add \(type) 198.18.4.0/24; ip route add \(type) 2001:db8:10::/64")
        for host in ["198.18.4.1", "[2001:db8:10::1]"] {
            for target in ["icmp://\(host)", "dns://\(host)/host.test", "tcp://\(host):80"] {
                let report = try await network.probe(target)
                // A route of type throw leads to the next table, which has no route.
                #expect(report.outcome == "unknown no_route 75", "\(target)")
            }
        }
    }

    @Test(arguments: ["unreachable", "prohibit", "blackhole"])
    func `a rule that rejects packets to one port is no result about the target`(type: String) async throws {
        let rule = "rule add ipproto tcp dport 80 \(type)"
        try network.namespace.run("ip \(rule); ip -6 \(rule)")
        for target in ["tcp://192.0.2.1:80", "tcp://[2001:db8::1]:80"] {
            #expect(try await network.probe(target).outcome == "unknown no_route 75", "\(target)")
        }
    }

    @Test(arguments: [
        ("drop", "Operation not permitted"),
        (
            "reject with icmpx type admin-prohibited",
            "this machine (192.0.2.2) reported: communication administratively"
        ),
        ("reject", "this machine (192.0.2.2) reported: port unreachable"),
    ])
    func `a firewall of this machine is no result about the target`(rule: String, evidence: String) async throws {
        try openGroupRange()
        try network.namespace.run(
            """
            nft -f - <<'END'
            table inet lab {
                chain output { type filter hook output priority 0; ip daddr 192.0.2.1 \(rule); }
            }
            END
            """
        )
        for target in ["icmp://192.0.2.1", "dns://192.0.2.1/host.test"] {
            let report = try await network.probe(target)
            #expect(report.outcome == "unknown local_firewall 75", "\(target)")
            #expect(report.evidence.contains(evidence), "\(target)")
        }
    }

    @Test(arguments: [
        ("192.0.2.77", "this machine (192.0.2.2) reported: host unreachable"),
        ("2001:db8::77", "this machine (2001:db8::2) reported: address unreachable"),
    ])
    func `a neighbour that does not answer is unreachable, as this machine found`(address: String, evidence: String)
        async throws
    {
        try openGroupRange()
        let report = try await network.probe("icmp://\(address)", "--timeout", "10s")
        #expect(report.outcome == "failed host_unreachable 1")
        #expect(report.evidence == evidence)
    }
}
