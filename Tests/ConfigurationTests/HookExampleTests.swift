import AgentEvents
import AgentTestKit
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

    /// The hooks that replace those of other dispatchers, by `docs/hooks.md`.
    private static func equivalents() throws -> [HookDefinition] {
        let page = directory.deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/hooks.md")
        let section = try #require(
            try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## Migrating").last
        )
        let block = try #require(section.components(separatedBy: "```toml\n").dropFirst().first)
        let loaded = try Fixtures.load(try #require(block.components(separatedBy: "```").first))
        #expect(loaded.warnings.isEmpty)
        return loaded.settings.hooks.definitions
    }

    @Test(arguments: [
        // The Internet is there, is lost, and returns: the link is the same.
        ("wired", "unknown", "wired", "full", ["connectivity-change"]),
        ("wired", "full", "wired", "local", ["connectivity-change"]),
        ("wired", "local", "wired", "full", ["connectivity-change"]),
        ("none", "none", "wired", "unknown", ["connectivity-change", "up"]),
        ("wired", "full", "wifi", "full", ["up"]),
        ("wifi", "full", "none", "none", ["connectivity-change", "down"]),
    ])
    func `the equivalents of NetworkManager's actions run when those do`(
        fromVia: String,
        fromConnectivity: String,
        toVia: String,
        toConnectivity: String,
        names: [String]
    ) throws {
        let line = AgentLines.changed(
            7,
            from: AgentLines.state(via: fromVia, connectivity: fromConnectivity),
            to: AgentLines.state(via: toVia, connectivity: toConnectivity)
        )
        let event = try #require(HookEvent(line: Array(line.utf8)))
        let matching = try Self.equivalents().filter { $0.matches(event) == .matches }
        #expect(matching.map(\.name).sorted() == names)
    }

    @Test func `the equivalent of mwan3's actions is for one uplink, and gets each event of it`() throws {
        let hook = try #require(try Self.equivalents().first { $0.trigger.types == [.uplinkChanged] })
        #expect(hook.trigger.filter.interfaces == ["eth1"] && hook.trigger.filter.changes == [.connectivity])
        #expect(hook.pace.queue == .all)
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
