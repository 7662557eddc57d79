import Testing

@testable import ReachAgent

@Suite struct FleetCommandTests {
    @Test
    func `the program of the fleet is looked for beside the agent, then on the PATH, and never in the present folder`()
    {
        let paths = FleetCommand.paths(ownPath: "/opt/reachagent/bin/reachagent", path: "/usr/bin:.:bin::/sbin")
        #expect(
            paths == [
                "/opt/reachagent/bin/reachagent-fleet", "/usr/bin/reachagent-fleet", "/sbin/reachagent-fleet",
            ]
        )
        #expect(FleetCommand.paths(ownPath: nil, path: "").isEmpty)
    }
}
