import AgentTestKit
import Testing

/// `--no-cellular`, and `allow_cellular = false`: what may not be asked is not asked.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationProbeCellularTests {
    private static let kind = "eth0=wwan"

    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork(hosts: "203.0.113.1 host.test")
        // IPv6 says something of its own on every link.
        try network.namespace.run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
        try network.addRouter("left", link: "eth0", addresses: [("192.0.2.2/24", "192.0.2.1/24")])
        try network.addRouter("right", link: "eth1", addresses: [("198.51.100.2/24", "198.51.100.1/24")])
        try network.namespace.run(
            """
            ip -n left addr add 203.0.113.1/32 dev lo; ip -n right addr add 203.0.113.1/32 dev lo
            ip route add default via 192.0.2.1 metric 100; ip route add default via 198.51.100.1 metric 200
            """
        )
    }

    @Test(arguments: [
        ["http://203.0.113.1/"], ["http://host.test/"], ["tcp://203.0.113.1:80", "--interface", "eth0"],
        ["http://192.0.2.9/", "--connect-to", "203.0.113.1:80"],
    ])
    func `nothing is sent while the path is a cellular one`(arguments: [String]) async throws {
        let server = try network.serve("http", at: "203.0.113.1", port: 80, on: "left")
        let counter = "cat /sys/class/net/eth0/statistics/tx_packets"
        let before = try network.namespace.run(counter)
        let report = try await network.probe(arguments + ["--no-cellular", "--interface-kind", Self.kind])
        #expect(report.outcome == "unknown cellular_not_allowed 75")
        #expect(report.content.hops.isEmpty)
        #expect(try network.namespace.run(counter) == before)
        #expect(server.stop().isEmpty)
    }

    @Test(arguments: [["probe", "--json"], ["measure", "--json"]])
    func `the kinds of the configuration count for a URL too`(command: [String]) async throws {
        let server = try network.serve("http", at: "203.0.113.1", port: 80, on: "left")
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try directory.file("reachagent.toml", "[interfaces]\nkinds = { \"eth0\" = \"wwan\" }\n")
        let words = [BuiltAgent.path] + command + ["http://203.0.113.1/", "--no-cellular"]
        let output = try network.namespace.run(
            "CONFIGURATION_DIRECTORY=\(directory.path) \(words.joined(separator: " ")) || test $? -eq 75"
        )
        #expect(output.contains("cellular_not_allowed"), "\(output)")
        #expect(server.stop().isEmpty)
    }

    @Test
    func `'diagnose' sends nothing for a probe that may not use a cellular path, nor for a transfer`() async throws {
        let server = try network.serve("http", at: "203.0.113.1", port: 80, on: "left")
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = try directory.file(
            "reachagent.toml",
            """
            [interfaces]
            kinds = { "eth0" = "wwan" }
            [probe.web]
            target = "http://203.0.113.1/"
            allow_cellular = false
            [probe.speed]
            target = "http://203.0.113.1/large"
            transfer = { download = "1M" }
            """
        )
        let words = ["diagnose", "web", "speed", "--json", "--config", file]
        let result = try await network.namespace.finished(BuiltAgent.path, words)
        let section = #"{"layer":"connection","verdict":"warning","code":"cellular_not_allowed","summary":"web: "#
        #expect(result.output.contains(section), "\(result.output)")
        let remark = "'speed' is not checked: it is a transfer, which 'reachagent measure speed' makes"
        #expect(result.error == "reachagent: \(remark)\n")
        #expect(server.stop().isEmpty)
    }

    @Test(arguments: [
        ["--no-cellular", "--interface-kind", kind, "--interface", "eth1"],
        ["--no-cellular", "--interface-kind", "eth1=wwan"],
        ["--interface-kind", kind],
    ])
    func `another interface, and a check with permission, are allowed`(arguments: [String]) async throws {
        let servers = try ["left", "right"].map { try network.serve("http", at: "203.0.113.1", port: 80, on: $0) }
        let report = try await network.probe(["http://host.test/"] + arguments)
        #expect(report.outcome == "ok 0")
        #expect(report.hop?.interface == (arguments.contains("eth1") ? "eth1" : "eth0"))
        #expect(servers.flatMap { $0.stop() }.count == 1)
    }
}
