import AgentTestKit
import Testing

/// Checks that are bound to an interface, between two links that both lead to the target.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationProbeInterfaceTests {
    /// An address that both routers have, each with a server of its own.
    private static let target = "203.0.113.1"

    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork()
        try network.addRouter(
            "left",
            link: "eth0",
            addresses: [("192.0.2.2/24", "192.0.2.1/24"), ("2001:db8::2/64", "2001:db8::1/64")]
        )
        try network.addRouter("right", link: "eth1", addresses: [("198.51.100.2/24", "198.51.100.1/24")])
        // Like other routers, they answer ARP only for the address of the link.
        try network.namespace.run(
            """
            ip netns exec left sysctl -qw net.ipv4.conf.all.arp_ignore=1
            ip netns exec right sysctl -qw net.ipv4.conf.all.arp_ignore=1
            ip -n left addr add \(Self.target)/32 dev lo
            ip -n right addr add \(Self.target)/32 dev lo
            ip netns exec right sysctl -qw net.ipv4.ip_default_ttl=99
            ip route add default via 192.0.2.1 metric 100
            ip route add default via 198.51.100.1 metric 200
            sysctl -qw net.ipv4.ping_group_range='0 0'
            """
        )
    }

    @Test(arguments: [
        ("tcp://203.0.113.1:80", "http", 80, "connection from"), ("http://203.0.113.1/", "http", 80, "connection from"),
        ("dns://203.0.113.1/host.test?type=A", "dns", 53, "A host.test"),
    ])
    func `a check leaves through the interface that it is bound to, without any privilege`(
        target: String,
        service: String,
        port: Int,
        question: String
    ) async throws {
        let left = try network.serve(service, at: Self.target, port: port, on: "left")
        let right = try network.serve(service, at: Self.target, port: port, on: "right")
        let bound = try await network.probe(target, "--interface", "eth1")
        let free = try await network.probe(target)
        #expect(bound.outcome == "ok 0")
        #expect(bound.hop?.interface == "eth1")
        #expect(bound.hop?.local?.hasPrefix("198.51.100.2:") == true)
        #expect(bound.hop?.peer == "203.0.113.1:\(port)")
        #expect(free.outcome == "ok 0")
        #expect(free.hop?.interface == "eth0")
        #expect(free.hop?.local?.hasPrefix("192.0.2.2:") == true)
        let asked = (left: left.stop(), right: right.stop())
        #expect(asked.left.count == 1)
        #expect(asked.right.count == 1)
        #expect((asked.left + asked.right).allSatisfy { $0.hasPrefix(question) })
    }

    @Test(arguments: ["enp4s0", "a-name-of-more-than-15-bytes"])
    func `a check leaves through the interface with an alternative name, and reports its own`(name: String) async throws
    {
        try network.namespace.ip("link property add dev eth1 altname \(name)")
        let bound = try await network.probe("icmp://203.0.113.1", "--interface", name)
        #expect(bound.outcome == "ok 0")
        #expect(bound.hop?.interface == "eth1")
        #expect(bound.hop?.local == "198.51.100.2")
    }

    /// Writes a configuration with a probe over some interfaces.
    private func configuration(_ interfaces: String, in directory: TemporaryDirectory) throws -> String {
        try directory.file(
            "reachagent.toml",
            "[probe.far]\ntarget = \"icmp://\(Self.target)\"\ninterfaces = \(interfaces)\n"
        )
    }

    @Test(
        arguments: [
            (#"["eth1"]"#, [], "ok 0", "eth1"), (#"["enp4s0"]"#, [], "ok 0", "eth1"),
            (#"["eth1"]"#, ["--interface", "eth0"], "ok 0", "eth0"),
            (#"["eth7"]"#, [], "unknown interface_unknown 75", nil),
            (#"["eth0", "eth1"]"#, [], "ok 0", "eth0"), (#"["virtual"]"#, [], "ok 0", "eth0"),
            (#""each""#, [], "ok 0", "eth0"),
        ] as [(String, [String], String, String?)]
    )
    func `the check of a configured probe leaves through its only interface`(
        interfaces: String,
        options: [String],
        outcome: String,
        interface: String?
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try network.namespace.ip("link property add dev eth1 altname enp4s0")
        let file = try configuration(interfaces, in: directory)
        let report = try await network.probe(["far", "--config", file] + options)
        #expect(report.outcome == outcome)
        #expect(interface == nil || report.hop?.interface == interface)
    }

    @Test(arguments: [["probe", "far"], ["diagnose", "far"]])
    func `a check over the active path alone says so if the probe has other interfaces`(command: [String]) async throws
    {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        for (interfaces, isRemarked) in [(#"["eth1"]"#, false), (#""each""#, true), (#"["eth0", "eth1"]"#, true)] {
            let file = try configuration(interfaces, in: directory)
            let result = try await network.namespace.finished(BuiltAgent.path, command + ["--config", file])
            let remark = "reachagent: 'far' is checked over the active path alone; 'reachagent check far' checks it"
            #expect(result.error.hasPrefix(remark) == isRemarked, "\(result.error)")
        }
    }

    @Test
    func `an echo leaves through the interface that it is bound to, without any privilege`() async throws {
        let bound = try await network.probe("icmp://203.0.113.1", "--interface", "eth1")
        let free = try await network.probe("icmp://203.0.113.1")
        #expect(bound.outcome == "ok 0")
        #expect(bound.hop?.interface == "eth1")
        #expect(bound.hop?.local == "198.51.100.2")
        #expect(bound.hop?.peer == "203.0.113.1")
        // The two far ends begin to count at different numbers.
        #expect(bound.hop?.answer?.contains("99 hops left") == true)
        #expect(free.hop?.interface == "eth0")
        #expect(free.hop?.local == "192.0.2.2")
        #expect(free.hop?.answer?.contains("64 hops left") == true)
    }

    @Test(arguments: ["tcp://192.0.2.1:80", "http://192.0.2.1/", "dns://192.0.2.1/host.test", "icmp://192.0.2.1"])
    func `a router without a route behind the wrong interface is at fault`(target: String) async throws {
        let report = try await network.probe(target, "--interface", "eth1")
        let isDatagram = target.hasPrefix("icmp") || target.hasPrefix("dns")
        #expect(report.outcome == "failed \(target.hasPrefix("icmp") ? "icmp_unreachable" : "host_unreachable") 1")
        #expect(report.evidence.contains(isDatagram ? "198.51.100.1 answered" : "as a router answered"))
    }

    @Test(arguments: ["tcp://[2001:db8::1]:80", "dns://[2001:db8::1]/host.test", "icmp://2001:db8::1"])
    func `an interface without a route to the address is no result about the target`(target: String) async throws {
        #expect(try await network.probe(target, "--interface", "eth1").outcome == "unknown no_route 75")
    }

    /// The kernel solicits the target on the link itself, for three seconds.
    @Test(
        arguments: [
            "tcp://203.0.113.1:80", "http://203.0.113.1/", "dns://203.0.113.1/host.test", "icmp://203.0.113.1",
        ],
        ["1s", "10s"]
    )
    func `an interface without an IPv4 route to the address is no result about the target`(
        target: String,
        timeout: String
    ) async throws {
        try network.namespace.ip("route del default dev eth1")
        let report = try await network.probe(target, "--interface", "eth1", "--timeout", timeout)
        #expect(report.outcome == "unknown no_route 75")
    }

    /// The flags are those of PPP, WWAN and WireGuard; without ARP the kernel sends frames to its own address.
    ///
    /// A router sends up to five "host unreachable" at once, then one a second (`ip_error` in the kernel's
    /// net/ipv4/route.c). The limit of `icmp_ratelimit` counts in the same bucket, and as 0 it empties it whenever the
    /// clock ticks between both: the mask takes that limit away.
    @Test
    func `a link without ARP needs no route, and its silence and its routers' errors are the target's`() async throws {
        try filter("rp_filter=0", on: "eth1")
        try network.namespace.run(
            """
            ip route del default dev eth1
            ip link set eth1 address 02:00:00:00:00:01
            ip -n right link set far address 02:00:00:00:00:01
            ip link set eth1 arp off
            ip -n right link set far arp off
            ip -n right route add blackhole 203.0.113.9
            ip -n right route add unreachable 203.0.113.8
            ip netns exec right sysctl -qw net.ipv4.icmp_ratemask=0
            """
        )
        for (target, outcome) in [
            ("icmp://203.0.113.1", "ok 0"),
            ("tcp://203.0.113.9:80", "failed connect_timeout 1"),
            ("dns://203.0.113.9/host.test", "failed dns_timeout 1"), ("icmp://203.0.113.9", "failed timeout 1"),
            ("tcp://203.0.113.8:80", "failed host_unreachable 1"),
            ("dns://203.0.113.8/host.test", "failed host_unreachable 1"),
            ("icmp://203.0.113.8", "failed icmp_unreachable 1"),
        ] {
            // The deadline is for what is silent.
            let timeout = outcome.contains("timeout") ? "1s" : "20s"
            let report = try await network.probe(target, "--interface", "eth1", "--timeout", timeout)
            #expect(report.outcome == outcome, "\(target)")
        }
    }

    @Test(arguments: [
        "ip rule add priority 200 unreachable", "ip rule add priority 200 prohibit",
        "ip route add blackhole default metric 1", "ip route add unreachable 203.0.113.0/24",
    ])
    func `a rule or a route that rejects packets is no result about the target of a bound check`(refusal: String)
        async throws
    {
        try network.namespace.run(refusal)
        for target in ["tcp://203.0.113.1:80", "dns://203.0.113.1/host.test", "icmp://203.0.113.1"] {
            for interface in ["eth0", "eth1"] {
                let report = try await network.probe(target, "--interface", interface, "--timeout", "1s")
                #expect(report.outcome == "unknown no_route 75", "\(target) over \(interface)")
            }
        }
    }

    /// connect(2) looks the route up without a source first.
    @Test
    func `a route that only a rule on the source leads to is one, and its silence is the target's`() async throws {
        try network.namespace.run(
            """
            ip route del default dev eth1
            ip route add default via 198.51.100.1 table 7
            ip rule add from 198.51.100.2 lookup 7
            ip -n right route add blackhole 203.0.113.9
            """
        )
        #expect(try await network.probe("icmp://203.0.113.1", "--interface", "eth1").outcome == "ok 0")
        for (target, code) in [
            ("tcp://203.0.113.9:80", "connect_timeout"), ("dns://203.0.113.9/host.test", "dns_timeout"),
            ("icmp://203.0.113.9", "timeout"),
        ] {
            let report = try await network.probe(target, "--interface", "eth1", "--timeout", "1s")
            #expect(report.outcome == "failed \(code) 1")
        }
    }

    @Test(arguments: [
        ("rp_filter=1", "unknown reverse_path_filter 75"), ("rp_filter=2", nil), ("rp_filter=0", nil),
    ])
    func `a reverse path filter that discards the answers is no result about the target`(
        setting: String,
        expected: String?
    ) async throws {
        try filter(setting, on: "eth1")
        let server = try network.serve("http", at: Self.target, port: 80, on: "right")
        let resolver = try network.serve("dns", at: Self.target, port: 53, on: "right")
        for target in [
            "tcp://203.0.113.1:80", "http://203.0.113.1/", "dns://203.0.113.1/host.test?type=A",
            "icmp://203.0.113.1",
        ] {
            let timeout = expected == nil ? "20s" : "1s"
            let report = try await network.probe(target, "--interface", "eth1", "--timeout", timeout)
            #expect(report.outcome == expected ?? "ok 0", "\(target)")
            guard expected != nil else { continue }
            #expect(report.evidence == "rp_filter of eth1 is 1, and the route to 203.0.113.1 is not over it")
        }
        _ = (server.stop(), resolver.stop())
    }

    @Test(arguments: [
        // The preferred path: answers pass the filter, and there are none.
        ("rp_filter=1", "eth0", "left"), ("rp_filter=2", "eth1", "right"), ("rp_filter=0", "eth1", "right"),
        // Marks of the firewall may let the answers pass.
        ("rp_filter=1 src_valid_mark=1", "eth1", "right"),
    ])
    func `a silent target is at fault unless the reverse path filter certainly discards its answers`(
        setting: String,
        interface: String,
        router: String
    ) async throws {
        try filter(setting, on: interface)
        try network.namespace.ip("-n \(router) route add blackhole 203.0.113.9")
        for (target, code) in [("tcp://203.0.113.9:80", "connect_timeout"), ("icmp://203.0.113.9", "timeout")] {
            let report = try await network.probe(target, "--interface", interface, "--timeout", "1s")
            #expect(report.outcome == "failed \(code) 1", "\(target)")
        }
    }

    @Test(arguments: ["198.51.100.2", "192.0.2.2"])
    func `the silence of an address of this machine is not the reverse path filter's`(own: String) async throws {
        try filter("rp_filter=1", on: "eth1")
        try network.namespace.run(
            """
            nft -f - <<'END'
            table inet lab {
                chain input { type filter hook input priority 0; ip daddr \(own) drop; }
            }
            END
            ip -n right route add blackhole \(own)
            """
        )
        let report = try await network.probe("tcp://\(own):80", "--interface", "eth1", "--timeout", "1s")
        #expect(report.outcome == "failed connect_timeout 1")
    }

    /// Sets sysctls of an interface and of all; a new namespace has those of its parent.
    private func filter(_ settings: String, on interface: String) throws {
        let names = (["src_valid_mark=0"] + settings.split(separator: " ").map(String.init)).flatMap { setting in
            ["all", interface].map { "net.ipv4.conf.\($0).\(setting)" }
        }
        try network.namespace.run("sysctl -qw \(names.joined(separator: " "))")
    }

    @Test(arguments: ["tcp://203.0.113.1:80", "dns://203.0.113.1/host.test", "icmp://203.0.113.1"])
    func `an interface that is down or missing is no result about the target`(target: String) async throws {
        try network.namespace.ip("link set eth1 down")
        #expect(try await network.probe(target, "--interface", "eth1").outcome == "unknown no_route 75")
        #expect(try await network.probe(target, "--interface", "eth7").outcome == "unknown interface_unknown 75")
    }
}
