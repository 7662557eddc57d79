import AgentTestKit
import Foundation
import LinuxSupport
import Testing

/// The signals that end the built agent: while its start hangs, and where its parent has requested to ignore them.
@Suite(.inNamespace, .onOwnThread, .timeLimit(.minutes(2)))
struct IntegrationSignalTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    /// The status is that of a failed start: no group has the name in the end.
    private static let held: [(signals: [Int32], status: Int32)] = [
        ([SIGINT], 78), ([SIGTERM], 78), ([SIGINT, SIGTERM], -SIGTERM),
    ]

    @Test(arguments: held.indices)
    func `one signal waits for a start that hangs, and the second one ends the agent`(number: Int) async throws {
        let (signals, status) = Self.held[number]
        let groups = "\(directory.path)/groups"
        // The agent looks its group up, and opens the file, which waits for a writer.
        try namespace.run("mkfifo \(groups); mount --bind \(groups) /etc/group")
        let words = ["run", "--no-config", "--no-hooks", "--no-journal", "--format", "none"]
        let sockets = ["--socket-directory", directory.sockets, "--socket-group", "late"]
        let agent = try CommandLines(namespace.command(BuiltAgent.path, words + sockets))
        defer { agent.end() }
        // It makes this file before it looks the group up, and handles signals before that.
        let lock = "\(directory.sockets)/agent.lock"
        try await onThread { try Self.wait(forFile: lock) }
        for signal in signals { agent.signal(signal) }
        if status == 78 {
            let writer = await onThread { open(groups, O_WRONLY | O_CLOEXEC) }
            #expect(close(writer) == 0)
        }
        #expect(await agent.status() == status)
    }

    private static func wait(forFile path: String) throws {
        while true {
            let watch = try PathWatch([path])
            if FileManager.default.fileExists(atPath: path) { return }
            var entry = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 60_000) == 1, "\(path) does not appear")
        }
    }

    @Test(arguments: [("reachagent", ["run", "--none"]), ("reachagent-sink", ["--none"])])
    func `a request to reload does not end a program that parses its command line`(
        name: String,
        words: [String]
    ) async throws {
        // Its message about the command line waits for room in the pipe, so that it is seen before its end.
        let script = """
            import fcntl, os, signal, sys, time
            reader, writer = os.pipe()
            size = fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)
            os.write(writer, b'.' * size)
            process = os.fork()
            if process == 0:
                os.dup2(writer, 2)
                os.execv(sys.argv[1], sys.argv[1:])
            os.close(writer)
            end = time.monotonic() + 30
            held = False
            while not held and time.monotonic() < end:
                with open(f'/proc/{process}/status') as status:
                    blocked = next(line for line in status if line.startswith('SigBlk:'))
                held = bool(int(blocked.split()[1], 16) & 1 << signal.SIGHUP - 1)
            os.kill(process, signal.SIGHUP)
            while os.read(reader, 65536):
                pass
            print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
            """
        let program = BuiltAgent.productsDirectory.appending(path: name).path()
        let result = try await namespace.finished("python3", ["-c", script, program] + words)
        #expect(result.output == "64\n", "\(result.error)")
    }

    @Test func `a signal that the agent's parent has requested to ignore does not end it`() async throws {
        let words = ["run", "--no-config", "--no-hooks", "--no-journal", "--no-sockets", "--format", "json"]
        let agent = try CommandLines("trap '' INT; \(namespace.command(BuiltAgent.path, words))")
        try await agent.next(containing: "reachability.changed")
        agent.signal(SIGINT)
        agent.signal(SIGTERM)
        #expect(await agent.rest().last?.contains(#""reason":"SIGTERM""#) == true)
        #expect(await agent.status() == 0)
    }

    @Test(arguments: [("SIG_DFL", "the terminal was closed"), ("SIG_IGN", "SIGTERM")])
    func `a closed terminal ends the agent, unless it ignores the hangup`(action: String, reason: String) async throws {
        let script = """
            import os, pty, signal, sys
            process, terminal = pty.fork()
            if process == 0:
                signal.signal(signal.SIGHUP, signal.\(action))
                os.execv(sys.argv[1], sys.argv[1:])
            log = b''
            while b'reachability: ' not in log:
                log += os.read(terminal, 65536)
            os.close(terminal)
            # A second signal would end it at once.
            if '\(action)' == 'SIG_IGN':
                os.kill(process, signal.SIGTERM)
            os.waitpid(process, 0)
            """
        let words = directory.arguments(["--no-config", "--no-hooks", "--no-sockets", "--format", "none"])
        let result = try await namespace.finished("python3", ["-c", script, BuiltAgent.path] + words)
        #expect(result.status == 0, "\(result.error)")
        let history = try await directory.command("history", "--json", "--directory", directory.journal)
        #expect(history.lines.last?.contains(#""reason":"\#(reason)""#) == true, "\(history.output)")
    }
}
