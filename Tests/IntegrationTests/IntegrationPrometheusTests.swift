import AgentTestKit
import Foundation
import Testing

/// A real agent with real probes, and Debian's Prometheus and node_exporter.
@Suite(.inNamespace, .onOwnThread, .serialized, .timeLimit(.minutes(2)))
struct IntegrationPrometheusTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let examples = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "examples/prometheus").path()
    private static let hasPrometheus = access("/usr/bin/prometheus", X_OK) == 0
    private static let hasNodeExporter = access("/usr/bin/prometheus-node-exporter", X_OK) == 0

    /// A machine with an agent that has two probes, one of which fails.
    private struct Lab {
        let network: ConnectivityNetwork
        let directory: String
        let agent: CommandLines

        /// Starts the agent, and waits until both probes have a verdict.
        init() async throws {
            network = try ConnectivityNetwork()
            try await network.webServer()
            directory = "\(network.certificates.directory)/prometheus"
            try FileManager.default.createDirectory(atPath: "\(directory)/textfile", withIntermediateDirectories: true)
            let configuration =
                """
                [http]
                listen = "127.0.0.1:9718"


                """ + network.probe("web", "https://web.test/") + network.probe("closed", "tcp://web.test:81")
            try configuration.write(toFile: "\(directory)/agent.toml", atomically: true, encoding: .utf8)
            let arguments = [
                "run", "--config", "\(directory)/agent.toml", "--journal-directory", "\(directory)/journal",
                "--socket-directory", "\(directory)/run", "--metrics-file", "\(directory)/textfile/agent.prom",
            ]
            agent = try CommandLines(network.command(BuiltAgent.path, arguments) + " 2>&1")
            try await agent.next(containing: #""to":{"verdict":"down""#)
        }

        /// Runs one of this directory's scripts beside the agent.
        func run(_ script: String, _ arguments: String...) async throws {
            let path = IntegrationPrometheusTests.tests.appending(path: script).path()
            let result = try await network.machine.namespace.finished("python3", [path] + arguments, patience: 60)
            #expect(result.status == 0, "\(result.output)\(result.error)")
        }

        /// Ends the agent.
        func stop() async throws {
            agent.signal(SIGTERM)
            _ = await agent.rest()
            #expect(await agent.status() == 0)
        }
    }

    @Test(.enabled(if: hasPrometheus, "Prometheus is not installed: make test-prometheus"))
    func `it scrapes the agent over TCP, loads the rules, and answers every query of the dashboard`() async throws {
        let lab = try await Lab()
        try await lab.run("prometheus-queries.py", Self.examples, lab.directory, "40")
        try await lab.stop()
    }

    @Test(.enabled(if: hasNodeExporter, "node_exporter is not installed: make test-prometheus"))
    func `node_exporter's textfile collector reads the agent's file, and any page of it, to the last sample`()
        async throws
    {
        let lab = try await Lab()
        let file = "\(lab.directory)/textfile/agent.prom"
        try await lab.run("textfile-collector.py", file, "127.0.0.1:9718", lab.directory, "40")
        try await lab.stop()
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
