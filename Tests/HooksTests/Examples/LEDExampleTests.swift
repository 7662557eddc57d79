import AgentTestKit
import Foundation
import Glibc
import Testing

@Suite struct LEDExampleTests {
    /// Runs the hook once with a LED of these files, and gives what they hold afterwards.
    private static func led(
        _ files: [String: String],
        _ to: String,
        readOnly: [String] = []
    ) async throws -> [String: String] {
        let hook = try ExampleHook("50-led")
        for (name, text) in files {
            try "\(text)\n".write(to: hook.files.appending(path: name), atomically: false, encoding: .utf8)
        }
        for name in readOnly { #expect(chmod(hook.files.appending(path: name).path(), 0o444) == 0) }
        let outcome = try await hook.run(transition("unknown", to, ["LED": hook.files.path()]))
        #expect(outcome.done == [])
        var contents: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: hook.files.path()) {
            let text = try String(contentsOf: hook.files.appending(path: name), encoding: .utf8)
            contents[name] = text.replacing("\n", with: "")
        }
        return contents
    }

    private static func lit(_ brightness: Int, trigger: String = "none [default-on] timer") -> [String: String] {
        ["brightness": "\(brightness)", "max_brightness": "255", "trigger": trigger]
    }

    @Test(arguments: [
        ("wifi wlan0 full", 255, "none"),
        ("wwan wwan0 unknown", 255, "none"),
        ("none - none", 0, "none"),
        ("unknown", 0, "none"),
        ("wifi wlan0 portal", 1, "timer"),
        ("wired eth0 partial", 1, "timer"),
        ("wired eth0 local", 1, "timer"),
    ])
    func `it is on, off or blinks`(_ to: String, _ brightness: Int, _ trigger: String) async throws {
        #expect(try await Self.led(Self.lit(1), to) == Self.lit(brightness, trigger: trigger))
    }

    @Test
    func `one that already blinks is left unchanged`() async throws {
        let blinking = Self.lit(1, trigger: "none [timer] heartbeat")
        #expect(try await Self.led(blinking, "wifi wlan0 portal") == blinking)
    }

    @Test
    func `one that cannot blink is on`() async throws {
        let led = try await Self.led(Self.lit(0, trigger: "[none] heartbeat"), "wifi wlan0 portal")
        #expect(led == Self.lit(255, trigger: "none"))
    }

    @Test(.enabled(if: geteuid() != 0, "root may write every file"))
    func `one whose trigger only root may write is on`() async throws {
        let led = try await Self.led(Self.lit(0), "wifi wlan0 portal", readOnly: ["trigger"])
        #expect(led == Self.lit(255))
    }

    @Test
    func `one of a single brightness and without triggers is switched`() async throws {
        #expect(try await Self.led(["brightness": "0"], "wifi wlan0 full") == ["brightness": "1"])
        #expect(try await Self.led(["brightness": "1"], "none") == ["brightness": "0"])
    }

    @Test
    func `without a LED it says so`() async throws {
        let outcome = try await ExampleHook("50-led").run(transition("unknown", "wifi", ["LED": "/nonexistent/led"]))
        #expect(outcome.command.status == 69)
        #expect(
            outcome.command.error
                == "there is no LED '/nonexistent/led' that this user may write: set LED to a directory of /sys/class/leds\n"
        )
    }
}
