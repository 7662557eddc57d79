import Testing

@testable import ReachAgent

@Suite struct FleetCommandTests {
    @Test
    func `the fleet program is searched beside the agent, then on the PATH, never in the current directory`() {
        let paths = FleetCommand.paths(ownPath: "/opt/reachagent/bin/reachagent", path: "/usr/bin:.:bin::/sbin")
        #expect(
            paths == [
                "/opt/reachagent/bin/reachagent-fleet", "/usr/bin/reachagent-fleet", "/sbin/reachagent-fleet",
            ]
        )
        #expect(FleetCommand.paths(ownPath: nil, path: "").isEmpty)
    }

    @Test(arguments: [
        (["help", "fleet", "status"], ["help", "status"]),
        (["fleet", "help", "status"], ["help", "status"]),
        (["fleet", "status", "--help"], ["status", "--help"]),
    ])
    func `the fleet program prints the help of its commands`(_ line: [String], _ words: [String]) throws {
        let command = try #require(try ReachAgentCommand.command(for: line) as? FleetCommand)
        #expect(command.words == words)
    }
}
