import AgentTestKit
import Foundation
import Hooks
import Testing

/// The properties that all scripts in `examples/hooks` have.
@Suite struct ExampleHookFileTests {
    private static let shellcheck = ["/usr/bin/shellcheck", "/usr/local/bin/shellcheck"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test
    func `there are scripts`() {
        #expect(ExampleHook.names == ["10-log", "50-led", "50-metered", "50-notify-desktop", "50-restart-vpn"])
    }

    @Test(.enabled(if: shellcheck != nil, "shellcheck is not installed"), arguments: ExampleHook.names)
    func `shellcheck has no findings`(_ name: String) async throws {
        let path = try #require(Self.shellcheck)
        let script = ExampleHook.directory.appending(path: name).path()
        let result = try await FinishedCommand.run(["--shell=sh", script], of: path)
        #expect(result.status == 0, "\(result.output)\(result.error)")
    }

    @Test(arguments: ExampleHook.names)
    func `each is executable, strict, and says where it belongs`(_ name: String) throws {
        let file = ExampleHook.directory.appending(path: name).path()
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let header = lines.dropFirst().prefix { $0.hasPrefix("#") }
        #expect(lines.first == "#!/bin/sh")
        #expect(lines.dropFirst(1 + header.count).first == "set -eu")
        #expect(3...6 ~= header.count)
        #expect(header.contains { $0.contains("/etc/reachagent/hooks.d/") })
        #expect(header.contains { $0.contains("[hook.") })
        #expect(FileManager.default.isExecutableFile(atPath: file))
        #expect(lines.allSatisfy { $0.count <= 120 })
    }

    @Test(arguments: ExampleHook.names + ["post-to-chat.toml"])
    func `it uses only variables that hooks have`(_ name: String) throws {
        let text = try String(contentsOf: ExampleHook.directory.appending(path: name), encoding: .utf8)
        let used = Set(text.matches(of: /REACH_[A-Z_]+/).map { String($0.output) })
        #expect(!used.isEmpty)
        #expect(used.subtracting(HookEnvironment.variables.map(\.name)).isEmpty)
    }

    @Test(arguments: ExampleHook.names + ["metered.target", "post-to-chat.toml", "unmetered.target"])
    func `the list names it`(_ name: String) throws {
        let list = try String(contentsOf: ExampleHook.directory.appending(path: "README.md"), encoding: .utf8)
        #expect(list.contains("[\(name)](\(name))"))
    }
}
