import AgentTestKit
import Testing

/// Checks that are bound to an interface, between two links that both lead to the target.
@Suite(.inNamespace, .onOwnThread, .serialized)
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
        try network.namespace.run(
            """
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

    @Test(arguments: ["tcp://203.0.113.1:80", "dns://203.0.113.1/host.test", "icmp://203.0.113.1"])
    func `an interface that is down or missing is no result about the target`(target: String) async throws {
        try network.namespace.ip("link set eth1 down")
        #expect(try await network.probe(target, "--interface", "eth1").outcome == "unknown no_route 75")
        #expect(try await network.probe(target, "--interface", "eth7").outcome == "unknown interface_unknown 75")
    }
}
