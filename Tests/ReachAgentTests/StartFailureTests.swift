import AgentTestKit
import Testing

/// The messages and the exit status of an agent that cannot start.
@Suite struct StartFailureTests {
    @Test func `a port that cannot be opened is named with its key, and nothing else is blamed`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        // An address of documentation (RFC 5737), which no machine has.
        let file = try directory.file("a.toml", "[http]\nlisten = '192.0.2.1:9718'\ninsecure = true\n")
        let result = try await FinishedCommand.run([
            "run", "--config", file, "--format", "none", "--no-hooks", "--socket-directory", directory.path,
            "--journal-directory", "\(directory.path)/journal",
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
