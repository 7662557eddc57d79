import AgentTestKit
import Foundation
import Testing

/// `examples/fleet` as it stands there, with a real nats-server, a real PostgreSQL, and the built `reachagent-fleet`.
@Suite struct FleetExampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A Python that has the packages of `examples/fleet/requirements.txt`: that of `scripts/make-python-environment`, or the system's.
    private static let python: String? = {
        let candidates = [root.appending(path: ".build/python/bin/python3").path(), "/usr/bin/python3"]
        return candidates.first { path in
            guard FileManager.default.isExecutableFile(atPath: path) else { return false }
            return (try? FinishedCommand(["-c", "import nats, psycopg2"], of: path))?.status == 0
        }
    }()

    private static var missing: String? {
        if !NATSServer.isInstalled { return "nats-server is not installed" }
        let directories = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        if directories?.isEmpty ?? true { return "PostgreSQL is not installed" }
        return python == nil ? "nats-py and psycopg2 are missing: scripts/make-python-environment" : nil
    }

    @Test(.enabled(if: missing == nil, Comment(rawValue: missing ?? "")), .timeLimit(.minutes(5)))
    func `the examples work as described, and PostgreSQL has each event once although everything is killed`()
        async throws
    {
        let directory = Self.root
        let result = try await FinishedCommand.run(
            [
                directory.appending(path: "Tests/ReachAgentFleetTests/example.py").path(),
                directory.appending(path: "examples/fleet").path(), BuiltFleet.path,
            ],
            of: try #require(Self.python),
            patience: 240
        )
        #expect(result.status == 0, "\(result.output)\(result.error)")
        #expect(result.lines.count >= 44, "\(result.output)")
    }
}

/// `reachagent-fleet` as it was built with the tests.
enum BuiltFleet {
    static var path: String {
        URL(filePath: BuiltAgent.path).deletingLastPathComponent().appending(path: "reachagent-fleet").path()
    }
}
