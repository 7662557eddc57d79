import AgentTestKit
import Testing

/// RFC 8305 with the kernel's routes: a name with an IPv6 address that does not work, and an IPv4 address that does.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationProbeAddressTests {
    private static let hosts = """
        2001:db8:1::1 dual.test
        192.0.2.1 dual.test
        """

    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork(hosts: Self.hosts)
        try network.addRouter(
            "far",
            link: "eth0",
            addresses: [("192.0.2.2/24", "192.0.2.1/24"), ("2001:db8::2/64", "2001:db8::1/64")]
        )
    }

    /// A loss of IPv6: the commands that cause it, its code beside a good address, and the result of IPv6 alone.
    struct Loss: Sendable, CustomStringConvertible {
        let description: String
        let commands: String
        /// The attempt's code; nil when the attempt is still under way when the other address connects.
        let code: String?
        let alone: String

        /// The attempt's code once the kernel has reported the router's answer.
        var lateCode: String? { alone.contains("host_unreachable") ? "host_unreachable" : code }
    }

    private static let viaRouter = "ip route add 2001:db8:1::/64 via 2001:db8::1;"

    /// The routers here answer before connect(2) has returned; the kernel then reports the answer to its second SYN,
    /// after a second.
    static let losses = [
        Loss(description: "no route", commands: "", code: "no_route", alone: "unknown no_route 75"),
        Loss(
            description: "a route of type blackhole",
            commands: "ip route add blackhole 2001:db8:1::/64",
            code: "no_route",
            alone: "unknown no_route 75"
        ),
        Loss(
            description: "a route of type prohibit",
            commands: "ip route add prohibit 2001:db8:1::/64",
            code: "no_route",
            alone: "unknown no_route 75"
        ),
        Loss(
            description: "a route of type unreachable",
            commands: "ip route add unreachable 2001:db8:1::/64",
            code: "no_route",
            alone: "unknown no_route 75"
        ),
        Loss(
            description: "no address to send from",
            commands: "ip -6 addr flush dev eth0; ip route add 2001:db8:1::/64 dev eth0; sysctl -qw"
                + " net.ipv6.conf.lo.disable_ipv6=1",
            code: "no_address",
            alone: "unknown no_address 75"
        ),
        Loss(
            description: "a host that refuses",
            commands: viaRouter + "ip -n far addr add 2001:db8:1::1/128 dev lo",
            code: "connect_refused",
            alone: "failed connect_refused 1"
        ),
        Loss(
            description: "a router without a route",
            commands: viaRouter,
            code: nil,
            alone: "failed host_unreachable 1"
        ),
        Loss(
            description: "a router that prohibits",
            commands: viaRouter + "ip -n far route add prohibit 2001:db8:1::/64",
            code: nil,
            alone: "failed host_unreachable 1"
        ),
        Loss(
            description: "a router that discards",
            commands: viaRouter + "ip -n far route add blackhole 2001:db8:1::/64",
            code: nil,
            alone: "failed connect_timeout 1"
        ),
        Loss(
            description: "a neighbour that never answers",
            commands: "ip route add 2001:db8:1::/64 dev eth0",
            code: nil,
            alone: "failed connect_timeout 1"
        ),
    ]

    @Test(arguments: losses)
    func `IPv4 is used while IPv6 is lost, at once after an error and 250 ms after silence`(loss: Loss) async throws {
        if !loss.commands.isEmpty { try network.namespace.run(loss.commands) }
        let server = try network.serve("http", at: "192.0.2.1", port: 80, on: "far")
        var report = try await network.probe("http://dual.test/", "--timeout", "5s")
        var count = 1
        // A busy machine may delay the second attempt once, but one that waits by nature is late each time.
        while loss.code != nil, Self.pause(in: report) ?? .zero >= .milliseconds(250), count < 5 {
            report = try await network.probe("http://dual.test/", "--timeout", "5s")
            count += 1
        }
        #expect(report.outcome == "ok 0")
        #expect(report.hop?.peer == "192.0.2.1:80")
        #expect(report.hop?.addresses == ["2001:db8:1::1", "192.0.2.1"])
        let attempts = report.hop?.attempts ?? []
        try #require(attempts.map(\.address) == ["[2001:db8:1::1]:80", "192.0.2.1:80"])
        // A busy machine may connect to the other address only when the kernel has reported the router's answer.
        let isLate = report.content.duration_us >= 1_000_000 && attempts[0].code == loss.lateCode
        #expect(attempts.map(\.code) == [isLate ? loss.lateCode : loss.code, nil])
        #expect(attempts.map(\.used) == [false, true])
        let pause = try #require(Self.pause(in: report))
        if loss.code == nil {
            #expect(pause >= .milliseconds(250))
        } else {
            #expect(pause < .milliseconds(250))
        }
        #expect(server.stop().count == count)
        // An address that failed is worth a warning where the target, and not this machine, is at fault.
        let isTargets = ["connect_refused", "host_unreachable"].contains(attempts[0].code)
        #expect(report.content.findings.map(\.severity) == (isTargets ? ["warning"] : []))
    }

    /// The time from the first attempt's start to that of the second one; `nil` for other numbers of attempts.
    private static func pause(in report: ProbeReport) -> Duration? {
        let starts = report.hop?.attempts.map(\.start) ?? []
        return starts.count == 2 ? starts[1] - starts[0] : nil
    }

    @Test(arguments: losses)
    func `IPv6 alone fails with its reason, and only the target's fault is the target's`(loss: Loss) async throws {
        if !loss.commands.isEmpty { try network.namespace.run(loss.commands) }
        // The deadline is for what is silent: the kernel reports a router's answer after a second.
        let timeout = loss.alone.contains("connect_timeout") ? "2s" : "20s"
        let report = try await network.probe(within: .seconds(5), "http://dual.test/", "--ipv6", "--timeout", timeout)
        #expect(report.outcome == loss.alone)
        #expect(report.hop?.attempts.map(\.address) == ["[2001:db8:1::1]:80"])
        #expect(report.wallTime < .seconds(5))
    }

    @Test
    func `an address that refuses decides beside one that is silent`() async throws {
        try network.namespace.run(Self.viaRouter + "ip -n far route add blackhole 2001:db8:1::/64")
        let report = try await network.probe("http://dual.test/", "--timeout", "2s")
        #expect(report.outcome == "failed connect_refused 1")
        #expect(report.evidence.contains("refused"), "\(report.evidence)")
        #expect(report.evidence.contains("no connection to [2001:db8:1::1]:80 within 2 s"), "\(report.evidence)")
    }

    @Test
    func `a neighbour that never answers is an error when the kernel gives up`() async throws {
        try network.namespace.run(
            "sysctl -qw net.ipv6.neigh.eth0.retrans_time_ms=100; ip route add 2001:db8:1::/64 dev eth0"
        )
        let report = try await network.probe("tcp://dual.test:80", "--ipv6", "--timeout", "20s")
        #expect(report.outcome == "failed host_unreachable 1")
    }

    @Test
    func `a router that prohibits a query is at fault, and not this machine`() async throws {
        try network.namespace.run(
            "ip route add 2001:db8:1::/64 via 2001:db8::1; ip -n far route add prohibit 2001:db8:1::/64"
        )
        let report = try await network.probe("dns://[2001:db8:1::1]/host.test")
        #expect(report.outcome == "failed host_unreachable 1")
        #expect(report.evidence == "2001:db8::1 answered: administratively prohibited")
    }

    @Test
    func `a silent target ends with the check's deadline`() async throws {
        try network.namespace.run(
            "ip route add 198.18.0.0/24 via 192.0.2.1; ip -n far route add blackhole 198.18.0.0/24"
        )
        let report = try await network.probe(within: .seconds(2), "http://198.18.0.1/", "--timeout", "1s")
        #expect(report.outcome == "failed connect_timeout 1")
        #expect(report.content.phase == "connect")
        #expect(report.content.duration_us >= 1_000_000)
        #expect(report.wallTime < .seconds(2))
    }
}
