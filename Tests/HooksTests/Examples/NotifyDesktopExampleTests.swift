import AgentTestKit
import Foundation
import Testing

@Suite struct NotifyDesktopExampleTests {
    private static let prefix = "unix:path=/run/user/1000/bus notify-send|--app-name=ReachAgent|--icon="

    private static let standIns = ["id", "notify-send", "runuser"]

    /// Returns the outcome of the hook when the user with this ID runs it.
    private static func outcome(
        user: Int = 1000,
        _ event: [String: String],
        standIns: [String] = standIns
    ) async throws -> ExampleHook.Outcome {
        try await ExampleHook("50-notify-desktop", standIns: standIns, tools: ["env", "sed", "stat", "timeout"])
            .run(event.merging(["STAND_IN_ID": "\(user)"]) { $1 })
    }

    @Test(arguments: [
        ("none", "wifi wlan0 full", "network-transmit-receive|--|Connected to wifi (wlan0)|It was none before"),
        ("wifi wlan0 full", "none wlan0 none", "network-offline|--|No connection|The reason: link_down"),
        (
            "none", "wired eth0 local",
            "network-transmit-receive|--|Connected to wired (eth0)|The Internet does not answer"
        ),
        (
            "none", "wired eth0 partial",
            "network-transmit-receive|--|Connected to wired (eth0)|Only a part of the Internet answers"
        ),
        (
            "none", "wifi wlan0 portal",
            "network-transmit-receive|--|Log in to use wifi (wlan0)|A portal asks for a login"
        ),
    ])
    func `the notification shows the new state`(_ from: String, _ to: String, _ words: String) async throws {
        let reason = to.hasPrefix("none") ? ["REACH_REASON": "link_down"] : [:]
        let outcome = try await Self.outcome(transition(from, to, reason))
        #expect(outcome.done == [Self.prefix + words])
    }

    @Test
    func `there is no notification before a state is known`() async throws {
        #expect(try await Self.outcome(transition("wifi wlan0", "unknown")).done == [])
    }

    @Test
    func `a portal's address is escaped in markup`() async throws {
        let portal = ["REACH_PORTAL_URL": "http://login.example/?a=1&b=<b>'\"$(id)"]
        let outcome = try await Self.outcome(transition("none", "wifi wlan0 portal", portal))
        #expect(outcome.done.count == 1)
        #expect(outcome.done.first?.hasSuffix("|http://login.example/?a=1&amp;b=&lt;b&gt;'\"$(id)") == true)
    }

    @Test
    func `root notifies each user on the user's own bus`() async throws {
        let directories = try RuntimeDirectories(["1000", "1001"])
        // No socket, and so no bus.
        try directories.add("1002")
        try Data().write(to: URL(filePath: directories.bus("1002")))

        let event = transition("none", "wifi wlan0 full", ["RUNTIME_DIRECTORIES": directories.path])
        let outcome = try await Self.outcome(user: 0, event)
        let words = "notify-send|--app-name=ReachAgent|--icon=network-transmit-receive|--|"
        #expect(
            outcome.done
                == ["1000", "1001"].map {
                    "unix:path=\(directories.bus($0)) \(words)Connected to wifi (wlan0)|It was none before"
                }
        )
    }

    @Test
    func `a user without a desktop is not a failure`() async throws {
        let directories = try RuntimeDirectories(["1000"])
        let others = ["RUNTIME_DIRECTORIES": directories.path, "STAND_IN_DENIED": NSUserName()]
        let outcome = try await Self.outcome(user: 0, transition("none", "wifi wlan0 full", others))
        #expect(outcome.command.status == 0)
        #expect(outcome.command.error == "the desktop of \(NSUserName()) could not be notified\n")
        #expect(outcome.calls.isEmpty)
    }

    @Test
    func `without notify-send it says how to get it`() async throws {
        let outcome = try await Self.outcome(transition("none", "wifi wlan0 full"), standIns: ["id"])
        #expect(outcome.command.status == 69)
        #expect(
            outcome.command.error
                == "cannot notify the desktop: there is no notify-send here (Debian: apt install libnotify-bin)\n"
        )
    }
}
