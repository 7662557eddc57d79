import AgentTestKit
import Testing

/// The system's resolver, as any program has it, with name servers that answer, fail and are silent.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationProbeResolverTests {
    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork()
        try network.addRouter("far", link: "eth0", addresses: [("192.0.2.2/24", "192.0.2.1/24")])
    }

    /// Starts a name server and makes it the system's.
    private func nameServer(_ options: String = "") throws -> FarEnd {
        try network.write("nameserver 192.0.2.1\n\(options)", to: "/etc/resolv.conf")
        return try network.serve("dns", at: "192.0.2.1", port: 53, on: "far")
    }

    @Test
    func `a name server behind a black hole times out, and is no result about the target`() async throws {
        try network.namespace.run(
            "ip route add 198.18.0.0/24 via 192.0.2.1; ip -n far route add blackhole 198.18.0.0/24"
        )
        try network.write("nameserver 198.18.0.1", to: "/etc/resolv.conf")
        let report = try await network.probe(within: .seconds(3), "http://host.test/", "--timeout", "1s")
        #expect(report.outcome == "unknown dns_timeout 75")
        #expect(report.content.phase == "resolve")
        #expect(report.wallTime < .seconds(3))
    }

    @Test
    func `a name server that is silent until the resolver gives up is a timeout too`() async throws {
        let server = try nameServer("options timeout:1 attempts:1")
        let report = try await network.probe("http://silent.test/", "--timeout", "20s")
        #expect(report.outcome == "unknown dns_timeout 75")
        #expect(report.wallTime < .seconds(15))
        #expect(Set(server.stop()) == ["A silent.test", "AAAA silent.test"])
    }

    @Test
    func `a name server that answers SERVFAIL was not silent`() async throws {
        let server = try nameServer()
        #expect(try await network.probe("tcp://broken.test:80").outcome == "unknown dns_failure 75")
        #expect(Set(server.stop()) == ["A broken.test", "AAAA broken.test"])
    }

    @Test
    func `a name server that does not listen was not silent`() async throws {
        try network.write("nameserver 127.0.0.1", to: "/etc/resolv.conf")
        #expect(try await network.probe("tcp://host.test:80").outcome == "unknown dns_failure 75")
    }

    @Test
    func `a name that does not exist is the target's fault, after every search domain`() async throws {
        let server = try nameServer("search corp.test lab.test")
        #expect(try await network.probe("tcp://missing:80").outcome == "failed dns_nxdomain 1")
        let asked = Set(server.stop())
        for name in ["missing.corp.test", "missing.lab.test"] {
            #expect(asked.isSuperset(of: ["A \(name)", "AAAA \(name)"]))
        }
    }

    @Test
    func `a short name is found in a search domain, and missing AAAA records are not a failure`() async throws {
        let names = try nameServer("search lab.test corp.test")
        let server = try network.serve("http", at: "192.0.2.1", port: 80, on: "far")
        let report = try await network.probe("http://intranet/")
        #expect(report.outcome == "ok 0")
        #expect(report.hop?.addresses == ["192.0.2.1"])
        #expect(report.content.findings.isEmpty)
        #expect(names.stop().contains("A intranet.corp.test"))
        #expect(server.stop().count == 1)
        #expect(
            try await network.probe("http://intranet/", "--ipv6", "--timeout", "1s").outcome.hasPrefix("unknown dns_")
        )
    }

    @Test(arguments: ["http://intranet./", "tcp://intranet.:80"])
    func `a name with a trailing dot is not found in a search domain`(target: String) async throws {
        let names = try nameServer("search corp.test")
        #expect(try await network.probe(target).outcome == "failed dns_nxdomain 1")
        #expect(Set(names.stop()) == ["A intranet", "AAAA intranet"])
    }

    @Test
    func `a name without a record of the requested family has no address`() async throws {
        let names = try nameServer()
        #expect(try await network.probe("tcp://host.test:80", "--ipv6").outcome == "failed dns_no_address 1")
        #expect(names.stop() == ["AAAA host.test"])
    }

    @Test(arguments: ["http://half.test/", "tcp://half.test:80", "icmp://half.test"])
    func `an AAAA answer that never comes costs 50 ms, not the resolver's timeout`(target: String) async throws {
        try network.namespace.run("sysctl -qw net.ipv4.ping_group_range='0 0'")
        let names = try nameServer()
        let server = try network.serve("http", at: "192.0.2.1", port: 80, on: "far")
        let report = try await network.probe(target, "--timeout", "20s")
        #expect(report.outcome == "ok 0")
        #expect(report.wallTime < .seconds(4))
        #expect(names.stop().contains("AAAA half.test"))
        if !target.hasPrefix("icmp") {
            #expect((report.hop?.attempts.first?.start ?? .zero) >= .milliseconds(50))
            #expect(server.stop().count == 1)
        }
    }
}
