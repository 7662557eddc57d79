import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The agent's own transfers: when they begin, and for what they make way.
@Suite(.inNamespace, .onOwnThread, .serialized, .timeLimit(.minutes(2)))
struct IntegrationTransferSchedulingTests {
    /// An agent in the lab with one probe that transfers, and a subscriber to its checks and their progress.
    private final class Agent {
        let lab: TransferLab
        private let temporary: TemporaryDirectory
        private var directory: String { temporary.path }
        private let agent: CommandLines
        private let subscriber: CommandLines
        private var request: CommandLines?

        init(_ transfer: String, _ more: String = "") async throws {
            lab = try await TransferLab()
            temporary = try TemporaryDirectory()
            let directory = temporary.path
            let file = try temporary.file("reachagent.toml", TransferLab.probe("/throttled", transfer: transfer, more))
            let arguments = [
                "run", "--config", file, "--format", "json", "--no-journal", "--socket-directory", directory,
            ]
            agent = try CommandLines(lab.network.namespace.command(BuiltAgent.path, arguments))
            try await agent.next(containing: "reachability.changed")
            let words = ["watch", "--json", "--type", "probe.completed", "--type", "probe.progress"]
            let socket = ["--socket", "\(directory)/control.sock"]
            subscriber = try CommandLines(lab.network.namespace.command(BuiltAgent.path, words + socket))
            // Else the transfer may be over before the subscription begins.
            try await subscriber.next(containing: "network.snapshot")
            // Otherwise it comes after half a minute.
            request = try CommandLines(
                "\(lab.network.namespace.command(BuiltAgent.path, ["check", "speed"] + socket)) 2>&1"
            )
        }

        deinit { agent.end() }

        /// Waits for the progress of a phase.
        func progress(_ phase: String) async throws { try await subscriber.next(containing: #""phase":"\#(phase)""#) }

        /// Waits for the end of the transfer, and gives its report.
        func completed() async throws -> CheckReport {
            let line = try await subscriber.next(containing: "probe.completed")
            guard case .probeCompleted(let check)? = AgentEvent(line: Array(line.utf8))?.content else {
                throw CommandFailure(command: "watch", status: 0, output: line)
            }
            return check.report
        }
    }

    @Test func `a transfer yields to other traffic of the machine`() async throws {
        let agent = try await Agent(#"download = "10M""#)
        try await agent.progress("download")
        let get = #"printf 'GET /throttled HTTP/1.1\r\nHost: x\r\n\r\n' >&3; cat <&3 >/dev/null"#
        let words = ["-c", "exec 3<>/dev/tcp/192.0.2.1/80; \(get)"]
        let other = try CommandLines(agent.lab.network.namespace.command("/bin/bash", words))
        let report = try await agent.completed()
        #expect(report.code == "transfer_yielded")
        #expect(report.findings.first?.evidence.contains("kbit/s on eth0") == true)
        #expect((report.transfer?.download?.bytes ?? 0) > 0)
        #expect((report.transfer?.download?.bytes ?? .max) < 10_000_000)
        other.end()
    }

    @Test func `a transfer without other traffic completes`() async throws {
        let agent = try await Agent(#"download = "1M""#)
        try await agent.progress("download")
        let report = try await agent.completed()
        #expect(report.verdict == "ok" && report.transfer?.download?.bytes == 1 << 20)
    }

    @Test func `a changed path ends a transfer`() async throws {
        let agent = try await Agent(#"download = "10M""#)
        try await agent.progress("download")
        try agent.lab.network.namespace.ip("link set eth0 down")
        #expect(try await agent.completed().code == "path_changed")
    }

    @Test func `a download is resumed over the next path`() async throws {
        let agent = try await Agent(#"download = "2M", resume = true"#)
        try await agent.progress("download")
        try agent.lab.network.namespace.ip("link set eth0 down")
        try await agent.progress("suspended")
        try agent.lab.network.namespace.run("ip link set eth0 up; ip route add default via 192.0.2.1 dev eth0")
        try await agent.progress("resumed")
        let report = try await agent.completed()
        #expect(report.verdict == "ok", "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 2 << 20)
        #expect(report.transfer?.seams.map(\.code) == ["path_changed"])
    }

    @Test func `a download is not resumed over a metered path`() async throws {
        let agent = try await Agent(#"download = "2M", resume = true"#, "[metered]\ninterfaces = [\"lte0\"]")
        try await agent.progress("download")
        try agent.lab.network.namespace.ip("link set eth0 down")
        try await agent.progress("suspended")
        try agent.lab.network.namespace.run(
            "ip link set eth0 name lte0 up; ip route add default via 192.0.2.1 dev lte0"
        )
        let report = try await agent.completed()
        #expect(report.verdict == "unknown" && report.code == "transfer_metered")
        #expect(report.findings.first?.evidence.contains("metered") == true)
    }
}
