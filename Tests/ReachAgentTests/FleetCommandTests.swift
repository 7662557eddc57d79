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
}
