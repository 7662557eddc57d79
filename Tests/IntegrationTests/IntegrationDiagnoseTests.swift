import AgentTestKit
import Foundation
import Testing

/// `diagnose` while targets, name servers and routers are silent.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationDiagnoseTests {
    private static let (good, silent) = ("http://203.0.113.1/", "http://203.0.113.1:81/")
    private static let dropped = "tcp://203.0.113.9:80"

    private let network: ProbeNetwork

    init() throws {
        network = try ProbeNetwork()
        try network.namespace.run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
        try network.addRouter("left", link: "eth0", addresses: [("192.0.2.2/24", "192.0.2.1/24")])
        try network.namespace.run(
            """
            ip -n left addr add 203.0.113.1/32 dev lo; ip -n left route add blackhole 203.0.113.9
            ip route add default via 192.0.2.1
            """
        )
    }

    /// The result of `diagnose --json`.
    private func diagnose(_ arguments: [String]) async throws -> (status: Int32, Page) {
        let words = ["diagnose", "--socket", "/nonexistent.sock", "--json"] + arguments
        let result = try await network.namespace.finished(BuiltAgent.path, words)
        return (result.status, try JSONDecoder().decode(Page.self, from: Data(result.output.utf8)))
    }

    private struct Page: Decodable {
        struct Section: Decodable {
            let layer: String
            let verdict: String
            let code: String?
            let summary: String
        }

        let layer: String?
        let code: String?
        let summary: String?
        let sections: [Section]
    }

    @Test(
        arguments: [
            ([silent], "response", "timeout", silent), ([dropped], "connection", "connect_timeout", dropped),
            ([good, silent], "response", "timeout", silent), ([silent, good], "response", "timeout", silent),
            ([silent, dropped], "connection", "connect_timeout", dropped),
        ]
    )
    func `a silent target is the finding, whatever is checked beside it`(
        targets: [String],
        layer: String,
        code: String,
        name: String
    ) async throws {
        let servers = [
            try network.serve("http", at: "203.0.113.1", port: 80, on: "left"),
            try network.serve("silent", at: "203.0.113.1", port: 81, on: "left"),
        ]
        defer { withExtendedLifetime(servers) {} }
        let (status, page) = try await diagnose(targets + ["--timeout", "2s"])
        #expect(status == 1)
        #expect(page.layer == layer && page.code == code)
        #expect(page.summary?.hasPrefix(name) == true, "\(page.summary ?? "")")
        let failures = page.sections.filter { ["dns_timeout", "connect_timeout", "timeout"].contains($0.code) }
        #expect(failures.count == targets.filter { $0 != Self.good }.count)
        if targets.contains(Self.good) {
            #expect(page.sections.contains { $0.summary == "1 of 2 probes are up; no check fails to connect" })
        }
    }

    @Test func `a dead router is the finding, however many names are looked up`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let probes = (1...4).map { "[probe.p\($0)]\ntarget = \"http://h\($0).test/\"\n" }
        let file = try directory.file("reachagent.toml", probes.joined())
        try network.write("nameserver 203.0.113.1", to: "/etc/resolv.conf")
        try network.namespace.run("ip route replace default via 192.0.2.78")
        let (status, page) = try await diagnose(["--config", file, "--timeout", "6s"])
        #expect(status == 1)
        #expect(page.layer == "next_hop" && page.code == "host_unreachable", "\(page)")
    }
}
