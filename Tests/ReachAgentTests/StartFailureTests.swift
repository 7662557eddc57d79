import AgentTestKit
import Foundation
import Testing

/// The messages and the exit status of an agent that cannot start.
@Suite struct StartFailureTests {
    @Test func `a port that cannot be opened is named with its key, and nothing else is blamed`() async throws {
        let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "start-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // An address of documentation (RFC 5737), which no machine has.
        try "[http]\nlisten = '192.0.2.1:9718'\ninsecure = true\n"
            .write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
        let result = try await FinishedCommand.run([
            "run", "--config", "\(directory)/a.toml", "--format", "none", "--no-hooks", "--socket-directory", directory,
            "--journal-directory", "\(directory)/journal",
        ])
        #expect(result.status == 78)
        #expect(result.output.isEmpty)
        let place = "192.0.2.1:9718, an address of 'listen' in [http]"
        #expect(
            result.error.contains("cannot listen on \(place): Cannot assign requested address"),
            "\(result.error)"
        )
        #expect(!result.error.contains("disk"), "\(result.error)")
    }
}
