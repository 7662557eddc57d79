import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// `reachagent measure` on a machine with two uplinks, each with a server of its own at the same address.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationMeasureTests {
    private static let target = "203.0.113.1"

    private let directory: TemporaryDirectory
    private let network: ProbeNetwork
    private let servers: [CommandLines]
    private let inputs = [Pipe(), Pipe()]

    init() async throws {
        directory = try TemporaryDirectory()
        network = try ProbeNetwork()
        try network.namespace.run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
        try network.addRouter("left", link: "eth0", addresses: [("192.0.2.2/24", "192.0.2.1/24")])
        try network.addRouter("right", link: "eth1", addresses: [("198.51.100.2/24", "198.51.100.1/24")])
        try network.namespace.run(
            """
            ip -n left addr add \(Self.target)/32 dev lo
            ip -n right addr add \(Self.target)/32 dev lo
            ip route add default via 192.0.2.1 metric 100
            ip route add default via 198.51.100.1 metric 200
            """
        )
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "transfer-server.py").path()
        var servers: [CommandLines] = []
        for (router, input) in zip(["left", "right"], inputs) {
            let words = ["netns", "exec", router, "python3", script, Self.target, "80"]
            let server = try CommandLines(network.namespace.command("ip", words), input: input)
            try await server.next(containing: "ready")
            servers.append(server)
        }
        self.servers = servers
    }

    private func configuration(
        _ path: String,
        _ transfer: String,
        over interfaces: String = #""default""#
    ) throws -> String {
        let text = """
            [probe.speed]
            target = "http://\(Self.target)\(path)"
            transfer = { \(transfer) }
            families = "ipv4"
            interfaces = \(interfaces)
            """
        return try directory.file("measure.toml", text)
    }

    private static func reports(_ output: String) throws -> [(report: CheckReport, interface: String?)] {
        struct Line: Decodable { var interface: String? }
        return try output.split(separator: "\n").map { line in
            let data = Data(line.utf8)
            let decoder = JSONDecoder()
            return (
                try decoder.decode(CheckReport.self, from: data), try decoder.decode(Line.self, from: data).interface
            )
        }
    }

    @Test func `each uplink is measured over its own interface, the used one first`() async throws {
        let file = try configuration("/large", #"download = "1M""#)
        let command = try await network.namespace.finished(
            BuiltAgent.path,
            ["measure", "speed", "--each", "--json", "--config", file]
        )
        #expect(command.status == 0, "\(command.error)")
        let reports = try Self.reports(command.output)
        #expect(reports.map(\.interface) == ["eth0", "eth1"])
        #expect(reports.allSatisfy { $0.report.verdict == "ok" && $0.report.transfer?.download?.bytes == 1 << 20 })
        #expect(reports.map { $0.report.hops.last?.interface } == ["eth0", "eth1"])
    }

    @Test(arguments: [([], "eth1"), (["--interface", "eth0"], "eth0")] as [([String], String)])
    func `the only interface of a probe is measured unless another one is given`(
        options: [String],
        interface: String
    ) async throws {
        let file = try configuration("/large", #"download = "1M""#, over: #"["eth1"]"#)
        let command = try await network.namespace.finished(
            BuiltAgent.path,
            ["measure", "speed", "--json", "--config", file] + options
        )
        #expect(command.status == 0, "\(command.error)")
        let reports = try Self.reports(command.output)
        #expect(reports.map(\.interface) == [interface])
        #expect(reports.map { $0.report.hops.last?.interface } == [interface])
    }

    @Test func `a metered uplink is left out unless requested`() async throws {
        let file = try configuration("/large", #"download = "1M""#)
        let words = ["measure", "speed", "--each", "--json", "--config", file, "--interface-kind", "eth1=wwan"]
        let careful = try await network.namespace.finished(BuiltAgent.path, words)
        #expect(careful.status == 0)
        let codes = careful.output.split(separator: "\n").map { $0.contains(#""code":"transfer_metered""#) }
        #expect(codes == [false, true])
        let all = try await network.namespace.finished(BuiltAgent.path, words + ["--metered"])
        #expect(all.status == 0)
        #expect(try Self.reports(all.output).map(\.report.verdict) == ["ok", "ok"], "\(all.output)")
    }

    @Test func `a download that loses its path resumes over the next one, and the report has the seam`() async throws {
        let file = try configuration("/throttled", #"download = "2M", resume = true"#)
        let words = ["measure", "speed", "--json", "--config", file]
        let command = try CommandLines(network.namespace.command(BuiltAgent.path, words))
        // The requests for one byte measure the idle link, before the download.
        while let line = await servers[0].next(), !line.hasPrefix("GET /throttled") || line.hasSuffix("bytes=0-0") {}
        try network.namespace.ip("link set eth0 down")
        let line = try #require(await command.next())
        let report = try #require(try Self.reports(line).first?.report)
        #expect(report.verdict == "ok", "\(line)")
        #expect(report.transfer?.download?.bytes == 2 << 20)
        let seam = try #require(report.transfer?.seams.first)
        #expect(seam.from == "eth0")
        #expect(seam.to == "eth1")
        #expect(await command.status() == 0)
    }

    @Test func `a hangup does not end a measurement under nohup`() async throws {
        let file = try configuration("/throttled", #"download = "1M""#)
        let words = [BuiltAgent.path, "measure", "speed", "--json", "--config", file]
        let command = try CommandLines(network.namespace.command("nohup", words))
        while let line = await servers[0].next(), !line.hasPrefix("GET /throttled") || line.hasSuffix("bytes=0-0") {}
        command.signal(SIGHUP)
        let line = try #require(await command.next())
        let report = try #require(try Self.reports(line).first?.report)
        #expect(report.verdict == "ok", "\(line)")
        #expect(report.transfer?.download?.bytes == 1 << 20)
        #expect(await command.status() == 0)
    }
}
