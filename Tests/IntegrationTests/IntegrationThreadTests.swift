import AgentTestKit
import Foundation
import Testing

/// The threads of an agent that does all that it can, as ps(1) and top(1) show them.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationThreadTests {
    /// Those of which there may be several at a time.
    private static let shared: Set = ["evaluation", "hook-check", "hook-output", "hook-wait", "lookup", "probe-file"]

    /// The names of a process's threads, without its first one, which has the program's.
    private static func names(of process: Int32) throws -> [String] {
        let tasks = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).filter { $0 != "\(process)" }.compactMap {
            // One that has ended meanwhile is none.
            try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
        }
    }

    @Test(.withHooks)
    func `each thread has a name of its own`() async throws {
        let lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
        let agent = try await HookAgent.start(
            in: lab,
            """
            [probe.answer]
            target = "dns://192.0.2.1/host.test"

            [probe.name]
            target = "tcp://host.test:80"

            [hook.own]
            command = ["true"]
            at_start = true
            """,
            more: ["--journal-directory", "\(lab.path)/journal"],
            keepsJournal: true
        )
        try await agent.completed("own", for: agent.events.first(of: "reachability.changed"))
        let expected: Set = [
            "datagrams", "hooks", "journal-upkeep", "journal-write", "lookup", "netlink", "printer", "probe-loop",
            "probe-schedule", "resolver-watch", "sockets",
        ]
        var names: [String] = []
        // Checks begin when they are due, and a thread has the name of the one that starts it until it runs.
        for _ in 0..<1000 where !Self.isComplete(names, expected) {
            try await Task.sleep(for: .milliseconds(20))
            names = try Self.names(of: agent.processIdentifier)
        }
        #expect(Self.isComplete(names, expected), "\(names.sorted())")
        #expect(try await agent.stop() == 0)
    }

    // MARK: Shortage

    /// A user of a test's own, of which only the test's threads count.
    ///
    /// - Parameter number: The test's number among those of this process, below 64.
    private static func user(_ number: Int) -> UInt32 { ThreadShortage.user + UInt32(number) << 22 }

    /// Returns the arguments of setpriv(1) for a program of a user.
    private static func words(of user: UInt32, _ program: [String]) -> [String] {
        ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"] + program
    }

    private static let parts: [(options: [String], event: String, hasReader: Bool)] = [
        ([], "reachability.changed", false), ([], "reachability.changed", true),
        (["--hooks", "%"], "reachability.changed", false),
        (["--probe", "tcp://127.0.0.1:9000"], "probe.changed", false),
    ]

    /// Those of the sockets, of their documents, of hooks and of probes.
    @Test(
        .asRoot,
        .enabled(if: BuiltAgent.isForOtherUsers, "another user must be able to run the executable"),
        arguments: parts.indices
    )
    func `an agent whose event loops end without a thread to spare stops in time, and records it`(
        number: Int
    ) async throws {
        let (options, event, hasReader) = Self.parts[number]
        let namespace = try NetworkNamespace(root: .machine)
        // Checks need a path.
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let listener = """
            import socket, sys
            server = socket.create_server(('127.0.0.1', 9000))
            print('ready', flush=True)
            sys.stdin.read()
            """
        let input = Pipe()
        let server = try CommandLines(namespace.command("python3", ["-c", listener]), input: input)
        #expect(await server.next() == "ready")
        let (directory, hooks) = (try StreamDirectory(in: namespace), try TemporaryDirectory())
        let user = Self.user(number)
        try #require(chown(directory.path, user, user) == 0)
        let arguments = directory.arguments(
            ["--no-config", "--format", "json", "--log-level", "error"]
                + options.map { $0.replacing("%", with: hooks.path) } + (number == 2 ? [] : ["--no-hooks"])
        )
        let program = Self.words(of: user, [BuiltAgent.path] + arguments)
        let agent = try CommandLines(namespace.command("setpriv", program))
        try await agent.next(containing: "reachagent.\(event)")
        if hasReader {
            let request = #"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"#
            let answer = try namespace.run("printf '\(request)' | nc -U -N \(directory.sockets)/http.sock")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
        }
        let limit = ["prlimit", "--pid", "\(agent.processIdentifier)", "--nproc=1:1"]
        let limited = try await FinishedCommand.run(Self.words(of: user, limit), of: "/usr/bin/setpriv")
        try #require(limited.status == 0, "\(limited.error)")
        agent.signal(SIGTERM)
        let lines = await agent.rest()
        #expect(await agent.status() == 0, "\(lines.suffix(5))")
        #expect(lines.last?.contains("reachagent.agent.stopping") == true)
        let history = try await directory.command("history", "--json", "--directory", directory.journal)
        #expect(history.lines.last?.contains("reachagent.agent.stopping") == true)
        try input.fileHandleForWriting.close()
        withExtendedLifetime((server, hooks)) {}
    }

    private static let commands: [(threads: Int, line: String, statuses: Set<Int32>)] = [
        (1, "run --no-config --no-journal --no-hooks --format none --socket-directory %", [75]),
        (2, "run --no-config --no-journal --no-hooks --format none --socket-directory %", [69, 75]),
        (1, "wait-online --socket %/none --timeout 1", [69]), (2, "wait-online --socket %/none --timeout 1", [69]),
        (3, "wait-online --socket %/none --timeout 1", [69]),
        // An event loop starts only with a thread to spare.
        (2, "probe --no-config tcp://127.0.0.1:1 --timeout 2s", [75]),
        (3, "probe --no-config tcp://127.0.0.1:1 --timeout 2s", [1, 75]),
        (2, "hooks run echo --config %/agent.toml --event %/event", [75]),
        (3, "hooks run echo --config %/agent.toml --event %/event", [0, 75]),
    ]

    @Test(
        .asRoot,
        .enabled(if: BuiltAgent.isForOtherUsers, "another user must be able to run the executable"),
        arguments: commands.indices
    )
    func `a command that has too few threads ends all the same, and in time`(number: Int) async throws {
        let (threads, line, statuses) = Self.commands[number]
        let directory = try TemporaryDirectory()
        try directory.file("agent.toml", "[hook.echo]\ncommand = ['/bin/echo', 'done']\n", mode: 0o644)
        let state = AgentLines.state(via: "wifi")
        try directory.file("event", AgentLines.changed(1, to: state) + "\n", mode: 0o644)
        let user = Self.user(32 + number)
        try #require(chown(directory.path, user, user) == 0)
        let words = line.replacing("%", with: directory.path).split(separator: " ").map(String.init)
        let program = ["prlimit", "--nproc=\(threads):\(threads)", BuiltAgent.path] + words
        let command = try await FinishedCommand.run(
            Self.words(of: user, program),
            of: "/usr/bin/setpriv",
            patience: 30
        )
        #expect(statuses.contains(command.status), "\(command.status) \(command.output)\(command.error)")
    }

    private static func isComplete(_ names: [String], _ expected: Set<String>) -> Bool {
        let own = names.filter { !shared.contains($0) }
        return expected.isSubset(of: names) && Set(own).count == own.count && !own.contains("reachagent")
            && !own.contains { $0.hasPrefix("NIO-") || $0.hasPrefix("TP-") }
    }
}
