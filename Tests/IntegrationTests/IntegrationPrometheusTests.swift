import AgentTestKit
import Foundation
import Testing

/// A real agent with real probes, and Debian's Prometheus.
@Suite(.inNamespace, .onOwnThread, .serialized, .timeLimit(.minutes(2)))
struct IntegrationPrometheusTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let examples = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "examples/prometheus").path()
    private static let hasPrometheus = access("/usr/bin/prometheus", X_OK) == 0

    @Test(.enabled(if: hasPrometheus, "Prometheus is not installed: make test-prometheus"))
    func `it scrapes the agent over TCP, loads the rules, and answers every query of the dashboard`() async throws {
        let network = try ConnectivityNetwork()
        try await network.webServer()
        let folder = "\(network.certificates.folder)/prometheus"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let configuration =
            """
            [http]
            listen = "127.0.0.1:9718"


            """ + network.probe("web", "https://web.test/") + network.probe("closed", "tcp://web.test:81")
        try configuration.write(toFile: "\(folder)/agent.toml", atomically: true, encoding: .utf8)
        let arguments = [
            "run", "--config", "\(folder)/agent.toml", "--journal-directory", "\(folder)/journal", "--socket-directory",
            "\(folder)/run",
        ]
        let agent = try CommandLines(network.command(BuiltAgent.path, arguments) + " 2>&1")
        try await agent.next(containing: #""to":{"verdict":"down""#)
        let script = Self.tests.appending(path: "prometheus-queries.py").path()
        let result = try await network.machine.namespace.finished(
            "python3",
            [script, Self.examples, folder, "40"],
            patience: 60
        )
        #expect(result.status == 0, "\(result.output)\(result.error)")
        agent.signal(SIGTERM)
        _ = await agent.rest()
        #expect(await agent.status() == 0)
    }
}
