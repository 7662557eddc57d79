import AgentTestKit
import Foundation
import Testing

/// Every command of the command tree on a machine whose names, files and servers are hostile.
///
/// A new command is in the tree, and so in the walk: without words in ``words`` it runs without arguments, and with a hostile
/// one for each argument that it takes.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationHostileNamesTests {
    /// Clears a screen, twice, and turns the order of reading.
    private static let evil = "\u{1B}[2J\u{9B}2J\u{202E}"
    /// An interface's name has at most 15 bytes, and neither spaces nor the ends of lines.
    private static let interface = "e\u{1B}[2J\u{9B}\u{202E}"
    private static let forged = "reachagent: forged"
    private static let port = 18_080

    private let namespace: NetworkNamespace
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws {
        namespace = try NetworkNamespace()
        temporary = try TemporaryDirectory()
        for name in ["state", "reachagent", "hooks.d", "reachagent.toml.d"] {
            try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
    }

    /// The words of commands that need some, by the command.
    private var words: [String: [[String]]] {
        let url = "http://127.0.0.1:\(Self.port)/"
        return [
            "probe": [[url], ["web"], ["--portal", url], ["--json", url]], "diagnose": [[], [url], ["web"]],
            "route": [["192.0.2.9"], ["web"]], "replay": [["\(directory)/recording", "--format", "human", "--states"]],
            "completion": [["bash"]], "wait-online": [["--for", "full", "--timeout", "100ms"]],
            "status": [[], ["--full"], ["probes"], ["uplinks"], ["agent"], ["--output", "short"]],
            "history": [[], ["--all"], ["--subject", Self.interface]],
            "hooks list": [[], ["--event", "last"]],
            "hooks run": [["10-log", "--event", "last"], ["10-log", "--event", "last", "--dry-run"]],
            "config init": [["--output", "-"]], "report": [[], ["--uplink", Self.interface], ["--format", "csv"]],
            "run": [["--once", "--format", "human"], ["--once", "--format", "human", "--probe", url]],
        ]
    }

    /// The commands that never exit: they are started before the others, and their output is read at the end.
    private static let endless: Set = ["watch"]

    /// A command of the tree: the words that lead to it, and whether it takes arguments without names.
    private struct Leaf {
        let path: [String]
        let takesWords: Bool
    }

    private static func leaves(_ command: [String: Any], _ path: [String] = []) -> [Leaf] {
        let below = (command["subcommands"] as? [[String: Any]] ?? []).filter { $0["commandName"] as? String != "help" }
        guard below.isEmpty else {
            return below.flatMap { leaves($0, path + [$0["commandName"] as? String ?? ""]) }
        }
        let arguments = command["arguments"] as? [[String: Any]] ?? []
        return [Leaf(path: path, takesWords: arguments.contains { $0["kind"] as? String == "positional" })]
    }

    private func prepare() throws {
        // Each response has a status, a header and a body of a stranger's.
        let server = """
            import http.server
            class Evil(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(500, 'a\\x1b[2J\\x9b')
                    self.send_header('Content-Type', 'text/\\x1b[2J')
                    self.send_header('Location', 'http://other.test/\\x1b[2J\\x9b')
                    self.end_headers()
                    self.wfile.write('\\x1b[2J\\u009b\\u202e\\n\(Self.forged)\\n'.encode())
                def log_message(self, *words): pass
            http.server.HTTPServer(('127.0.0.1', \(Self.port)), Evil).serve_forever()
            """
        try server.write(toFile: "\(directory)/server.py", atomically: false, encoding: .utf8)
        let configuration = """
            [agent]
            log_level = "debug"
            [probe.web]
            target = "http://127.0.0.1:\(Self.port)/"
            expect_body_contains = ["\\u001b[2J\\u202e"]
            fall = 1
            [hooks]
            directories = ["\(directory)/hooks.d"]
            [hook."x-\(directory.suffix(4))"]
            command = ["/nonexistent/\\u001b[2J\\u009b"]
            """
        try configuration.write(toFile: "\(directory)/reachagent.toml", atomically: false, encoding: .utf8)
        // TOML has no control characters in comments: only the name is hostile.
        try "# A drop-in\n".write(
            toFile: "\(directory)/reachagent.toml.d/\(Self.interface).toml",
            atomically: false,
            encoding: .utf8
        )
        let hook = "#!/bin/sh\nprintf '\\033[2J\\302\\2332J\\342\\200\\256\\n\(Self.forged)\\n'\nexit 3\n"
        for name in ["10-log", "20\(Self.interface)"] {
            try writeFile(hook.utf8, to: "\(directory)/hooks.d/\(name)", mode: 0o755)
        }
    }

    /// A shell word.
    private static func quoted(_ word: String) -> String { "'\(word.replacing("'", with: #"'\''"#))'" }

    @Test func `no control character reaches a terminal from any command, and no line is forged`() async throws {
        try prepare()
        try namespace.run(
            """
            ip link add \(Self.quoted(Self.interface)) type veth peer name far0
            ip link set far0 up; ip link set \(Self.quoted(Self.interface)) up
            ip addr add 192.0.2.2/24 dev \(Self.quoted(Self.interface))
            ip route add default via 192.0.2.1 dev \(Self.quoted(Self.interface))
            """
        )
        let help = try await FinishedCommand.run(["--experimental-dump-help"])
        let tree = try #require(JSONSerialization.jsonObject(with: Data(help.output.utf8)) as? [String: Any])
        let leaves = Self.leaves(try #require(tree["command"] as? [String: Any]))
        #expect(leaves.count > 15)
        var commands: [[String]] = []
        for leaf in leaves where !Self.endless.contains(leaf.path.joined(separator: " ")) {
            let known = words[leaf.path.joined(separator: " ")]
            commands += (known ?? [[]]).map { leaf.path + $0 }
            if leaf.takesWords { commands.append(leaf.path + ["\(Self.evil)\n\(Self.forged)"]) }
        }
        let agent = Self.quoted(BuiltAgent.path)
        // The agent ends with the shell; its own output and that of `watch` are lines for people, too.
        var script = """
            export CONFIGURATION_DIRECTORY=\(directory) STATE_DIRECTORY=\(directory)/state RUNTIME_DIRECTORY=\(directory)/reachagent
            # A test's thread may block signals, and programs inherit that: only SIGKILL ends the server for certain.
            python3 \(directory)/server.py & server=$!
            \(agent) run --format human --all --record \(directory)/recording >\(directory)/run.out 2>&1 & agent=$!
            trap 'kill $agent $watch; wait $agent; kill -KILL $server' EXIT
            \(agent) wait-online --for path --timeout 30s >/dev/null || exit 1
            \(agent) watch --all --since 1 --type '*.*' --type probe.completed >\(directory)/watch.out 2>&1 & watch=$!
            \(agent) check >/dev/null 2>&1 || true
            \(agent) history -f --json 2>/dev/null | grep --max-count 1 --quiet hook.completed

            """
        for (number, words) in commands.enumerated() {
            let line = words.map(Self.quoted).joined(separator: " ")
            script += "timeout 30 \(agent) \(line) >\(directory)/\(number).out 2>&1 </dev/null || true\n"
        }
        script += "exit 0\n"
        try script.write(toFile: "\(directory)/script", atomically: false, encoding: .utf8)
        let walk = try await namespace.finished("/bin/sh", ["\(directory)/script"], patience: 100)
        let log = (try? String(contentsOfFile: "\(directory)/run.out", encoding: .utf8)) ?? ""
        try #require(walk.status == 0, "the agent does not run: \(log.debugDescription)")
        var seen = 0
        let hook = commands.firstIndex(of: ["hooks", "run", "10-log", "--event", "last"]).map { "\($0)" }
        let outputs =
            commands.enumerated().map { ("\($0.element)", "\($0.offset)") } + [("run", "run"), ("watch", "watch")]
        for (name, file) in outputs {
            let output = try #require(FileManager.default.contents(atPath: "\(directory)/\(file).out"))
            // CSV ends its lines as RFC 4180 says.
            let text = String(decoding: output, as: UTF8.self).replacing("\r\n", with: "\n")
            let active = text.unicodeScalars.filter { scalar in
                scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
            }
            #expect(active.isEmpty, "\(name): \(text.debugDescription)")
            // A hook that is run has standard output to itself.
            #expect(
                file == hook || !text.split(separator: "\n").contains { $0.hasPrefix(Self.forged) },
                "\(name): \(text.debugDescription)"
            )
            if text.contains(#"\u{1b}"#) { seen += 1 }
        }
        // The hostile names were there to be shown.
        #expect(seen > 20, "\(seen) of \(outputs.count)")
    }
}
