import AgentTestKit
import Foundation
import Testing

/// The lasting history of agents that are killed while they move events to it.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationHistoryCrashTests {
    private struct Result: Decodable {
        let kills: Int
        let left: [String: Int]
        let lasting: Int
        let flaws: [String]
    }

    @Test func `an agent that is killed repeatedly loses no lasting event and duplicates none`() async throws {
        let namespace = try NetworkNamespace()
        let directory = try StreamDirectory(in: namespace)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "history-crash.py").path()
        let command = try await namespace.finished(
            "python3",
            [script, BuiltAgent.path, directory.path, "19"],
            patience: 120
        )
        try #require(command.status == 0, "\(command.error)")
        let result = try JSONDecoder().decode(Result.self, from: Data(command.output.utf8))
        #expect(result.flaws == [])
        #expect(result.kills > 0)
        #expect(result.lasting > 1000)
    }
}
