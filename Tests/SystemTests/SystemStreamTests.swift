import AgentTestKit
import Foundation
import Testing

/// The state stream of the built agent, which is killed again and again.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["REACHAGENT_SYSTEM_TESTS"] != nil,
        "REACHAGENT_SYSTEM_TESTS is not set: `make system-test` sets it"
    )
)
struct SystemStreamTests {
    private static let driver = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "stream-crash.py").path()

    /// The verdict of `stream-crash.py`.
    struct Verdict: Decodable {
        let kills: Int
        let lines: Int
        let newest: Int
        let segments: Int
        let compressed: Int
        let torn: Int
        let printed: Int
        let subscribed: Int
        let subscriptions: Int
        let readers: Int
        let read: Int
        let caught: [String]
        let damages: [String]
        let faults: [String]
    }

    @Test("200 kills in a storm: no number is missing or used twice, and a resuming client gets each event once")
    func crashes() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let command = try await FinishedCommand.run(
            ["--user", "--map-root-user", "--net", "--mount", "python3", Self.driver, BuiltAgent.path]
                + [directory.path, "--kills", "200"],
            of: "unshare",
            patience: 570
        )
        #expect(command.status == 0, "\(command.error)")
        let verdict = try JSONDecoder().decode(Verdict.self, from: Data(command.output.utf8))
        #expect(verdict.faults == [])
        #expect(verdict.kills == 200)
        // The same judgement of damaged evidence: one that finds nothing there is worth nothing here.
        #expect(verdict.caught == verdict.damages)
        #expect(verdict.lines == verdict.newest)
        #expect(verdict.subscribed == verdict.lines)
        // There was something to lose: each agent recorded, several segments were filled and compressed.
        #expect(verdict.lines > 2000)
        #expect(verdict.segments > 50)
        #expect(verdict.compressed > 10)
        #expect(verdict.printed > 2000)
        #expect(verdict.subscriptions > 90)
        #expect(verdict.readers > 20)
        #expect(verdict.read > 500)
    }
}
