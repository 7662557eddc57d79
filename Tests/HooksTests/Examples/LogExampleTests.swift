import AgentTestKit
import Testing

@Suite struct LogExampleTests {
    @Test(arguments: [
        (
            "wired eth0 full", "wwan wwan0 unknown", ["REACH_CAUSE": "link_down"],
            "wired (full) became wwan (unknown) over wwan0: link_down"
        ),
        ("wifi wlan0 full", "none - none", ["REACH_CAUSE": "no_route"], "wifi (full) became none (none): no_route"),
        ("", "", [:], "unknown (unknown) became unknown (unknown): unknown"),
    ])
    func `it writes one line, with no other program`(
        from: String,
        to: String,
        variables: [String: String],
        line: String
    ) async throws {
        let outcome = try await ExampleHook("10-log").run(transition(from, to, variables))
        #expect(outcome.done.isEmpty)
        #expect(outcome.command.output == line + "\n")
    }
}
