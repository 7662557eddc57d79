import Testing

@testable import StateClient

/// Which socket is meant.
@Suite struct SocketLocationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var explicit: String?
        var variables: [String: String] = [:]
        var existing: String?
        var expected: String
        var testDescription: String { expected }
    }

    static let all = [
        "REACHAGENT_SOCKET": "/a/own.sock", "RUNTIME_DIRECTORY": "/run/r:/run/q", "XDG_RUNTIME_DIR": "/run/user/7",
    ]

    @Test(
        "the first place that is named is taken",
        arguments: [
            Case(explicit: "/x.sock", variables: all, expected: "/x.sock"),
            Case(variables: all, expected: "/a/own.sock"),
            Case(variables: all.filter { $0.key != "REACHAGENT_SOCKET" }, expected: "/run/r/control.sock"),
            Case(
                variables: ["XDG_RUNTIME_DIR": "/run/user/7"],
                existing: "/run/user/7/reachagent/control.sock",
                expected: "/run/user/7/reachagent/control.sock"
            ),
            Case(variables: ["XDG_RUNTIME_DIR": "/run/user/7"], expected: "/run/reachagent/control.sock"),
            Case(expected: "/run/reachagent/control.sock"),
        ]
    )
    func order(_ test: Case) {
        let location = SocketLocation.control(explicit: test.explicit) {
            test.variables[$0]
        } exists: {
            $0 == test.existing
        }
        #expect(location.path == test.expected)
    }
}
