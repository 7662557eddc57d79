import Foundation
import Hooks
import Testing

@testable import Configuration

/// `examples/hooks`: its configuration, and the tables in the first lines of its scripts.
@Suite struct HookExampleTests {
    private static let directory = URL(filePath: Fixtures.examples).deletingLastPathComponent().appending(path: "hooks")
    private static let scripts = Fixtures.files(in: directory.path()).filter { $0.first?.isNumber == true }.sorted()

    /// The lines of a script's header that are TOML: they are indented.
    private static func table(of script: String) throws -> String {
        let text = try String(contentsOf: directory.appending(path: script), encoding: .utf8)
        let header = text.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("#") }
        return header.filter { $0.hasPrefix("#   ") }.map { $0.dropFirst(4) }.joined(separator: "\n")
    }

    @Test func `there are scripts`() {
        #expect(Self.scripts.count == 5)
    }

    @Test(arguments: scripts)
    func `a script's own table is valid and names it`(_ script: String) throws {
        let loaded = try Fixtures.load(try Self.table(of: script))
        #expect(loaded.warnings.isEmpty)
        let hook = try #require(loaded.settings.hooks.definitions.first)
        #expect(script.hasSuffix("-\(hook.name)"))
        let command = try #require(hook.action.command, "it is no program")
        #expect(command.arguments.map { $0.split(separator: "/").last.map(String.init) } == [script])
    }

    @Test func `the chat's hooks are valid`() throws {
        let loaded = try Fixtures.inDirectory { directory in
            let secret = "\(directory)/chat.secret"
            try "0123456789abcdef\n".write(toFile: secret, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
            let text = try String(contentsOf: Self.directory.appending(path: "post-to-chat.toml"), encoding: .utf8)
                .replacing("/etc/reachagent/chat.secret", with: secret)
            let file = "\(directory)/a.toml"
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            return try ConfigurationFile.load(file)
        }
        #expect(loaded.warnings.isEmpty)
        let hooks = loaded.settings.hooks.definitions
        #expect(hooks.map(\.name) == ["post-signed", "post-to-chat"])
        #expect(hooks.allSatisfy { $0.pace.queue == .all })
        let webhooks = hooks.compactMap(\.action.webhook)
        #expect(webhooks.map { $0.secretFile != nil } == [true, false])
        #expect(webhooks.map { $0.body?.text.hasPrefix(#"{"text": "${REACH_SUBJECT}: "#) } == [nil, true])
    }
}

extension HookDefinition.Action {
    fileprivate var command: HookCommand? {
        guard case .command(let command) = self else { return nil }
        return command
    }

    fileprivate var webhook: Webhook? {
        guard case .webhook(let webhook) = self else { return nil }
        return webhook
    }
}
