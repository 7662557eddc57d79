import AgentTestKit
import Foundation
import Testing

/// The built agent's log on standard error: a file, a pipe, a terminal or the journal.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationLogTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory
    private let route = "default via 192.0.2.1 dev eth0 metric 100"

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    /// A shell command that becomes an agent which prints no events.
    private func command(_ more: [String]) -> String {
        let fixed = ["run", "--no-journal", "--settle-up", "0", "--settle-down", "0"]
        let sockets = more.contains("--socket-directory") ? [] : ["--no-sockets"]
        return namespace.command(BuiltAgent.path, fixed + sockets + more)
    }

    /// Starts an agent, and returns the lines of its log.
    ///
    /// - Parameter before: Shell commands; their standard error is the agent's.
    private func log(_ more: String..., before: String = "") throws -> CommandLines {
        let source = more.contains("--config") ? [] : ["--no-config"]
        return try CommandLines("exec 2>&1 >/dev/null; \(before)\n\(command(["--format", "none"] + source + more))")
    }

    /// Starts an agent that logs warnings only, and waits until it is online, which it does not log.
    private func quietLog() async throws -> CommandLines {
        let log = try log("--log-level", "warning", "--socket-directory", directory.sockets)
        try await waitUntilOnline()
        return log
    }

    private func lose() throws { try namespace.ip("route del default") }
    private func regain() throws { try namespace.ip("route add \(route)") }

    /// Restores the route, and waits until the agent of ``quietLog()`` is online.
    private func regainAndWait() async throws {
        try regain()
        try await waitUntilOnline()
    }

    private func waitUntilOnline() async throws {
        let wait = try await directory.command("wait-online", "--socket", directory.control, "--timeout", "25s")
        try #require(wait.status == 0)
    }

    // MARK: - Levels

    @Test func `a file or a pipe gets a line for each change, with time, level and reason`() async throws {
        let log = try log()
        let start = try await log.next(containing: "reachability: unknown → ")
        #expect(start.prefixMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z reachagent: notice: /#) != nil)
        try lose()
        let loss = await log.next() ?? ""
        #expect(loss.contains("Z reachagent: warning: reachability: "))
        #expect(loss.hasSuffix(" → none (no_route) [route_removed]; \(route)"))
        try regain()
        #expect(await log.next()?.contains("Z reachagent: notice: reachability: none (no_route) → ") == true)
        log.signal(SIGTERM)
        let rest = await log.rest()
        #expect(rest.count == 1)
        #expect(rest.first?.hasSuffix("reachagent: notice: agent stopping (SIGTERM)") == true)
        #expect(await log.status() == 0)
    }

    @Test func `the level sets which messages are left out`() async throws {
        let warnings = try await quietLog()
        let all = try log("--log-level", "trace")
        try await all.next(containing: "notice: reachability: unknown")
        try lose()
        try await all.next(containing: "debug: path: ")
        try await all.next(containing: "warning: reachability: ")
        #expect(await warnings.next()?.contains("warning: reachability: ") == true)
        for log in [all, warnings] { log.signal(SIGTERM) }
        try await all.next(containing: "notice: agent stopping")
        #expect(await warnings.rest() == [])
    }

    @Test func `events that are printed are not logged as well`() async throws {
        let output = try CommandLines("\(command(["--no-config", "--format", "human"])) 2>&1")
        var lines = try await output.lines(to: "  reachability  ")
        output.signal(SIGTERM)
        lines += await output.rest()
        #expect(lines.last?.contains("stopping (SIGTERM)") == true)
        #expect(lines.filter { $0.contains("reachagent: ") } == [])
    }

    @Test func `a reload takes another level into use at once, unless the command line has one`() async throws {
        let file = "\(directory.path)/reachagent.toml"
        func write(_ level: String) throws {
            try "[agent]\nlog_level = \"\(level)\"\n".write(toFile: file, atomically: true, encoding: .utf8)
        }
        try write("notice")
        let free = try log("--config", file)
        let bound = try log("--config", file, "--log-level", "notice")
        for log in [free, bound] { try await log.next(containing: "reachability: ") }
        try write("debug")
        for log in [free, bound] {
            log.signal(SIGHUP)
            try await log.next(containing: "configuration read again: ")
        }
        try lose()
        #expect(await bound.next()?.contains("warning: reachability: ") == true)
        try await free.next(containing: "debug: path: ")
        try write("loud")
        free.signal(SIGHUP)
        try await free.next(containing: "log_level: 'loud'")
        try regain()
        try await free.next(containing: "debug: path: ")
        withExtendedLifetime(directory) {}
    }

    @Test func `after its directory is removed, SIGHUP opens the sockets again, and the log reports it`() async throws {
        let file = "\(directory.path)/reachagent.toml"
        let sink = "[sink.a]\nurl = \"nats://127.0.0.1:4222\"\ndevice = \"edge-7\"\n"
        try sink.write(toFile: file, atomically: true, encoding: .utf8)
        let log = try log("--config", file, "--log-level", "warning", "--socket-directory", directory.sockets)
        try await waitUntilOnline()
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.sockets).sorted()
        #expect(files.contains("sinks.json") && files.contains("control.sock"))
        try FileManager.default.removeItem(atPath: directory.sockets)
        log.signal(SIGHUP)
        try await log.next(containing: "warning: the sockets had lost their files, and are open again: ")
        try await log.next(containing: "sinks.json was missing, and is written again")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.sockets).sorted() == files)
        try await waitUntilOnline()
        withExtendedLifetime(directory) {}
    }

    @Test func `an invalid level is an error that lists the valid ones`() async throws {
        let result = try await FinishedCommand.run(["run", "--log-level", "loud"])
        #expect(result.status == 64)
        #expect(result.error.contains("accepted are trace, debug, info, notice, warning, error, critical"))
    }

    // MARK: - Forms

    private static let isJournal = "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2);"

    @Test func `lines for the journal have priorities, and no time`() async throws {
        let log = try log(before: Self.isJournal)
        try await log.next(containing: "<5>reachability: unknown → ")
        try lose()
        #expect(await log.next()?.hasPrefix("<4>reachability: ") == true)
        log.signal(SIGUSR1)
        #expect(await log.next()?.hasPrefix("<5>the state, ") == true)
        #expect(await log.next()?.contains("  NOT REACHABLE, ") == true)
    }

    @Test func `a service with standard error outside the journal gets the time`() async throws {
        let log = try log(before: "export JOURNAL_STREAM=8:12345;")
        #expect(await log.next()?.contains("Z reachagent: notice: agent ") == true)
    }

    @Test func `in the journal, each reason why the agent cannot start is an error`() async throws {
        let file = "\(directory.path)/bad.toml"
        try "[agent]\nlog_level = 3\njurnal = true\n".write(toFile: file, atomically: true, encoding: .utf8)
        let log = try log("--config", file, before: Self.isJournal)
        let lines = await log.rest()
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("<3>") && $0.contains("bad.toml:") })
        #expect(await log.status() == 78)
    }

    /// Starts an agent on a terminal of its own, where nothing is said of colours: `swift test` wants none.
    private func terminal(_ variables: String) throws -> CommandLines {
        let agent = command(["--no-config", "--format", "none"]).replacing("'", with: #"'\''"#)
        return try CommandLines(
            "unset NO_COLOR; \(variables) exec script --quiet --return --flush --command '\(agent)' /dev/null"
        )
    }

    @Test func `a terminal gets the local time, and colours for important lines`() async throws {
        let log = try terminal("LC_ALL=C.UTF-8 TERM=xterm TZ=Asia/Kathmandu")
        let start = try await log.next(containing: "reachability: unknown → ")
        #expect(start.prefixMatch(of: #/\d\d:\d\d:\d\d\.\d{3}\+05:45  notice    reachability: /#) != nil)
        try lose()
        let loss = try await log.next(containing: "reachability: ")
        #expect(loss.contains("\u{1B}[33mwarning \u{1B}[0m  reachability: "), "after \(start)")
    }

    @Test(arguments: ["TERM=dumb", "TERM=xterm NO_COLOR=1"])
    func `colours are left out where they are disabled`(variables: String) async throws {
        let log = try terminal(variables)
        try await log.next(containing: "reachability: ")
        try lose()
        let loss = try await log.next(containing: "reachability: ")
        #expect(loss.contains("  warning   reachability: "))
        #expect(!loss.contains("\u{1B}"))
    }

    @Test func `a terminal without UTF-8 gets ASCII`() async throws {
        let log = try terminal("LC_ALL=C TERM=xterm")
        try await log.next(containing: "reachability: unknown -> ")
        try lose()
        let loss = try await log.next(containing: "reachability: ")
        #expect(loss.contains(" -> none (no_route) [route_removed]; "))
        #expect(loss.utf8.allSatisfy { $0 < 0x80 })
    }

    // MARK: - The state

    @Test func `SIGUSR1 logs the state at any level, even before the agent is ready`() async throws {
        let early = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
            os.kill(os.getpid(), signal.SIGUSR1)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let fixed = [
            "run", "--no-config", "--no-journal", "--no-sockets", "--format", "none", "--log-level", "critical",
        ]
        let words = ["python3", "-c", early, BuiltAgent.path] + fixed
        let log = try CommandLines("exec 2>&1 >/dev/null\n\(namespace.command("/usr/bin/env", words))")
        #expect(await log.next()?.hasSuffix("the state, as 'reachagent status --full' shows it:") == true)
        try await log.next(containing: "notice: AGENT")
        try await log.next(containing: "journal       none")
        log.signal(SIGUSR1)
        #expect(await log.next()?.hasSuffix("the state, as 'reachagent status --full' shows it:") == true)
        try await log.next(containing: "journal       none")
        log.signal(SIGTERM)
        #expect(await log.rest() == [])
        #expect(await log.status() == 0)
    }

    // MARK: - Rate limits and readers

    @Test func `a repeating change is suppressed, counted, and reported`() async throws {
        let log = try await quietLog()
        var lines: [String] = []
        while lines.last?.hasSuffix("more messages like this one are suppressed for 5 min and counted") != true {
            try lose()
            lines.append(try #require(await log.next()))
            try await regainAndWait()
        }
        // The first ones are not flapping yet, and so are other messages.
        #expect((10...20).contains(lines.count))
        #expect(lines.dropLast().filter { !$0.contains("warning: reachability: ") } == [])
        try lose()
        // SIGUSR1 reports the counts at once. The state is logged whatever the level, with the time of the loss.
        var told = ""
        while !told.contains(" suppressed: reachability: ") {
            log.signal(SIGUSR1)
            while let line = await log.next(), !line.contains("journal       none") {
                if line.contains(" suppressed: ") { told = line }
            }
        }
        #expect(told.contains(" warning: "))
    }

    @Test func `an unread log blocks no event, delays no shutdown, and reports what is missing`() async throws {
        let fifo = try unreadPipe()
        defer { close(fifo.descriptor) }
        let targets = (0..<60).flatMap { ["--target", "host-\($0)=198.51.100.\($0)"] }
        let events = try CommandLines("\(command(["--no-config", "--log-level", "trace"] + targets)) 2>\(fifo.path)")
        try await events.next(containing: "reachability.changed")
        // A pipe holds 64 KiB, and the agent 256 KiB: of each change, which concerns all targets, 8 KiB are logged.
        for number in 10..<90 { try await turn(events, to: number) }
        let text = try text(fifo.descriptor, until: "lines are missing here: they were not read in time\n")
        #expect(text.count > 256 << 10)
        #expect(text.split(separator: "\n").allSatisfy { $0.contains("Z reachagent: ") })
        for number in 100..<180 { try await turn(events, to: number) }
        let start = ContinuousClock.now
        events.signal(SIGTERM)
        _ = await events.rest()
        #expect(await events.status() == 0)
        #expect(start.duration(to: .now) < .seconds(8))
    }

    @Test func `an agent continues after the reader of its log has gone`() async throws {
        let fifo = try unreadPipe()
        let events = try CommandLines("\(command(["--no-config", "--log-level", "trace"])) 2>\(fifo.path)")
        try await events.next(containing: "reachability.changed")
        close(fifo.descriptor)
        for number in 10..<20 { try await turn(events, to: number) }
        events.signal(SIGTERM)
        #expect(await events.rest().last?.contains("agent.stopping") == true)
        #expect(await events.status() == 0)
    }

    /// A named pipe that is open for reading, and that is not read.
    private func unreadPipe() throws -> (path: String, descriptor: Int32) {
        let path = "\(directory.path)/unread"
        try #require(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        return (path, descriptor)
    }

    /// Reads a pipe until a text comes.
    private func text(_ descriptor: Int32, until wanted: String) throws -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while !String(decoding: text.suffix(chunk.count + 1000), as: UTF8.self).contains(wanted) {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 30_000) == 1)
            let count = read(descriptor, &chunk, chunk.count)
            try #require(count > 0)
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Changes the default route's gateway, and waits for the event.
    private func turn(_ events: CommandLines, to number: Int) async throws {
        try namespace.ip("route replace default via 192.0.2.\(number) dev eth0 metric 100")
        try await events.next(containing: "\"gateway\":\"192.0.2.\(number)\"")
    }
}
