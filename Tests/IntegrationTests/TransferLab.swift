import AgentEvents
import AgentTestKit
import Foundation
import Synchronization

/// A machine with one uplink, and a `transfer-server.py` behind it.
///
///     eth0 ─ far (router) 192.0.2.1
final class TransferLab: Sendable {
    /// The report of a measurement, with what its command and its link saw.
    struct Measured: Sendable {
        let status: Int32
        let report: CheckReport
        let wallTime: Duration

        /// The verdict, its code and the exit status: `failed transfer_stalled 1`.
        var outcome: String { [report.verdict, report.code, "\(status)"].compactMap(\.self).joined(separator: " ") }
    }

    static let url = "http://192.0.2.1"

    let network: ProbeNetwork
    private let server: CommandLines
    private let serverInput = Pipe()
    private let directory: TemporaryDirectory

    init() async throws {
        network = try ProbeNetwork()
        // IPv6 says something of its own on every link.
        try network.namespace.run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
        try network.addRouter("far", link: "eth0", addresses: [("192.0.2.2/24", "192.0.2.1/24")])
        try network.namespace.ip("route add default via 192.0.2.1 dev eth0")
        directory = try TemporaryDirectory()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "transfer-server.py").path()
        let words = ["netns", "exec", "far", "python3", script, "192.0.2.1", "80"]
        server = try CommandLines(network.namespace.command("ip", words), input: serverInput)
        try await server.next(containing: "ready")
    }

    deinit { try? serverInput.fileHandleForWriting.close() }

    /// A probe that transfers, in the words of the configuration file.
    static func probe(_ path: String, transfer: String, _ more: String...) -> String {
        let lines = [
            "[probe.speed]", #"target = "\#(url)\#(path)""#, "transfer = { \(transfer) }", #"families = "ipv4""#,
        ]
        return (lines + more).joined(separator: "\n") + "\n\n"
    }

    /// Runs `reachagent measure --json` with a configuration, to its end.
    func measure(_ configuration: String) async throws -> Measured {
        let file = try directory.file("\(UUID().uuidString).toml", configuration)
        let start = ContinuousClock.now
        let command = try await network.namespace.finished(
            BuiltAgent.path,
            ["measure", "speed", "--json", "--config", file]
        )
        let wallTime = ContinuousClock.now - start
        guard let report = try? JSONDecoder().decode(CheckReport.self, from: Data(command.output.utf8)) else {
            throw CommandFailure(command: "measure", status: command.status, output: command.output + command.error)
        }
        return Measured(status: command.status, report: report, wallTime: wallTime)
    }

    /// The bytes that the link has carried in both directions.
    func carried() throws -> Int {
        try network.namespace.run("cat /sys/class/net/eth0/statistics/[rt]x_bytes").split(separator: "\n")
            .compactMap { Int($0) }.reduce(0, +)
    }
}
