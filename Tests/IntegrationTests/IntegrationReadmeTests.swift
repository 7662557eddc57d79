import AgentTestKit
import Foundation
import Testing

/// The commands and snippets of the README, as they stand there, on a machine without a network.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// The commands that need another machine, or that a person ends.
    private static let elsewhere = [
        "reachagent probe", "reachagent route www", "reachagent wait-online --via wifi", "reachagent watch",
        "reachagent status --watch", "reachagent fleet", "reachagent measure",
    ]

    private let namespace: NetworkNamespace
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }
    private let readme: String

    init() throws {
        namespace = try NetworkNamespace()
        temporary = try TemporaryDirectory()
        // What systemd makes for a service, and the place of the first hook.
        for name in ["state", "reachagent", "hooks.d", "reachagent.toml.d"] {
            let path = "\(temporary.path)/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    }

    /// The commands of our program, without comments and `sudo`.
    private var commands: [String] {
        readme.split(separator: "\n").filter { $0.hasPrefix("    ") }.compactMap { line in
            let command = line.trimmingPrefix("    ").trimmingPrefix("sudo ")
            guard command.hasPrefix("reachagent ") else { return nil }
            return command.firstRange(of: " #").map { String(command[..<$0.lowerBound]) } ?? String(command)
        }
    }

    /// Runs a script where the program is on the path, and its files are in the directory.
    private func run(_ script: String) throws -> String {
        let variables = [
            "PATH=\(BuiltAgent.productsDirectory.path()):/usr/bin:/bin:/usr/sbin:/sbin",
            "CONFIGURATION_DIRECTORY=\(directory)", "STATE_DIRECTORY=\(directory)/state",
            "RUNTIME_DIRECTORY=\(directory)/reachagent",
        ]
        return try namespace.run("export \(variables.joined(separator: " ")); \(script)")
    }

    @Test func `its configurations are valid`() throws {
        var blocks: [String] = []
        var rest = readme[...]
        while let start = rest.firstRange(of: "```toml\n"), let end = rest[start.upperBound...].firstRange(of: "```\n")
        {
            blocks.append(String(rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        let hook = readme.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("    [hook.") }
        blocks.append(hook.prefix { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }.joined(separator: "\n"))
        #expect(blocks.count == 2)
        for (number, block) in blocks.enumerated() {
            try block.write(toFile: "\(directory)/\(number).toml", atomically: false, encoding: .utf8)
            let output = try run("reachagent config check \(directory)/\(number).toml 2>&1 || true")
            #expect(output.hasPrefix("\(directory)/\(number).toml: ok, "), "\(output)")
        }
    }

    @Test func `the first minutes: a configuration, a hook, and every command beside a running agent`() throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        #expect(commands.prefix(4).joined(separator: "; ").contains("reachagent config init"))
        _ = try run("reachagent config init")
        let hooks = "[hooks]\ndirectories = [\"\(directory)/hooks.d\"]\n"
        try hooks.write(toFile: "\(directory)/reachagent.toml.d/hooks.toml", atomically: false, encoding: .utf8)
        // Whatever the shell has started ends with it; the agent's journal is complete when it has.
        var script =
            "reachagent run --format none 2>\(directory)/log & agent=$!; trap 'kill $agent; wait $agent' EXIT\n"
        script += "reachagent wait-online --for path --timeout 30s >/dev/null\n"
        script += "\(try #require(install))\n"
        let made = commands.filter { command in
            command != "reachagent config init" && !Self.elsewhere.contains { command.hasPrefix($0) }
        }
        #expect(made.count >= 8)
        for command in made {
            script += "status=0; \(command) >\(directory)/output 2>&1 || status=$?; echo \"$status \(command)\"\n"
        }
        let lines = try self.run(script).split(separator: "\n").map(String.init)
        #expect(lines.map { String($0.drop { $0 != " " }.dropFirst()) } == made, "\(lines)")
        // Nobody answers from beyond, and the journal is too young for a report: that is no fault of a command.
        let statuses = ["0 ", "1 ", "69 reachagent report --month"]
        #expect(lines.allSatisfy { line in statuses.contains { line.hasPrefix($0) } }, "\(lines)")
    }

    @Test func `its Python client prints a change, and its request for metrics has an answer`() throws {
        let start = try #require(readme.firstRange(of: "```python\n"))
        let end = try #require(readme[start.upperBound...].firstRange(of: "```\n"))
        let client = String(readme[start.upperBound..<end.lowerBound])
        try client.write(toFile: "\(directory)/client.py", atomically: false, encoding: .utf8)
        let curl = readme.split(separator: "\n").first { $0.hasPrefix("    curl --unix-socket /run/reachagent/") }
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        // Changes are made until the client has one: there is no telling when it has subscribed.
        let output = try namespace.run(
            """
            mount -t tmpfs tmpfs /run
            export PATH=\(BuiltAgent.productsDirectory.path()):/usr/bin:/bin:/usr/sbin:/sbin PYTHONUNBUFFERED=1
            STATE_DIRECTORY=\(directory)/state RUNTIME_DIRECTORY=/run/reachagent \
                reachagent run --format none --settle-up 0 --settle-down 0 2>\(directory)/log & agent=$!
            trap 'kill $agent $client; wait $agent' EXIT
            RUNTIME_DIRECTORY=/run/reachagent reachagent wait-online --timeout 30s >/dev/null
            python3 \(directory)/client.py >\(directory)/changes & client=$!
            while kill -0 $client && [ ! -s \(directory)/changes ]; do
                ip route del default
                ip route add default via 192.0.2.1 dev eth0
            done
            head -n 1 \(directory)/changes
            ! command -v curl >/dev/null || \(try #require(curl).trimmingPrefix("    ")) 2>/dev/null | grep --max-count 1 TYPE
            """
        )
        let lines = output.split(separator: "\n")
        let words = lines.first?.split(separator: " ") ?? []
        #expect(
            words.count == 3 && UInt64(words[0]) != nil && ["none", "other", "wired"].contains(words[1]),
            "\(output)"
        )
        #expect(lines.count < 2 || lines.last?.hasPrefix("# TYPE ") == true, "\(output)")
    }

    /// The line that installs the first hook, from this directory's examples into that of the test.
    private var install: String? {
        guard let line = readme.split(separator: "\n").first(where: { $0.firstRange(of: "/hooks.d/") != nil }) else {
            return nil
        }
        return String(line)
            .replacing("    sudo ", with: "")
            .replacing("/usr/share/doc/reachagent/", with: Self.root.path())
            .replacing("/etc/reachagent/hooks.d/", with: "\(directory)/hooks.d/")
    }
}
