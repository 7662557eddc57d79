import AgentTestKit
import Foundation
import Testing

@Suite struct MeteredExampleTests {
    @Test(arguments: [
        ("wwan wwan0 full", ["systemctl|start|metered.target"]),
        ("wwan wwan0 portal", ["systemctl|start|metered.target"]),
        ("wifi wlan0 full", ["systemctl|start|unmetered.target"]),
        ("wired eth0 local", ["systemctl|start|unmetered.target"]),
        ("other tun0 unknown", ["systemctl|start|unmetered.target"]),
        ("none - none", []),
        ("unknown", []),
    ])
    func `the target follows the uplink`(_ to: String, _ calls: [String]) async throws {
        let hook = try ExampleHook("50-metered", standIns: ["systemctl"])
        #expect(try await hook.run(transition("unknown", to)).done == calls)
    }

    @Test
    func `a target that cannot be started is the hook's failure`() async throws {
        let hook = try ExampleHook("50-metered", standIns: ["systemctl"])
        let outcome = try await hook.run(transition("wifi wlan0", "wwan wwan0", ["STAND_IN_STATUS": "5"]))
        #expect(outcome.command.status == 5)
    }

    @Test
    func `without systemctl it says so`() async throws {
        let outcome = try await ExampleHook("50-metered").run(transition("wifi wlan0", "wwan wwan0"))
        #expect(outcome.command.status == 69)
        #expect(outcome.command.error == "cannot start metered.target: there is no systemctl here\n")
    }

    @Test(arguments: [("metered", "unmetered"), ("unmetered", "metered")])
    func `the targets exclude each other`(_ target: String, _ other: String) throws {
        let file = ExampleHook.directory.appending(path: "\(target).target")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains("[Unit]"))
        #expect(lines.contains("Conflicts=\(other).target"))
    }

    @Test
    func `the boot starts the target that stops its parts`() throws {
        let file = ExampleHook.directory.appending(path: "unmetered.target")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.suffix(1) == ["WantedBy=multi-user.target"])
        #expect(lines.contains("[Install]"))
    }
}
