import AgentTestKit
import Foundation
import Glibc
import StateClient
import Testing

@testable import ReachAgent

/// `status` and `subscribers` as an operator meets them: with an agent, without one, and with one that refuses.
@Suite struct StatusCommandTests {
    private static let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "EventSchemaTests/Golden/status.eventful.json")

    /// An agent that gives each of so many questions the same answer.
    private static func agent(_ answer: String) throws -> ScriptedAgent {
        let script: ScriptedAgent.Script = { connection in
            connection.readLine()
            connection.send(lines: answer)
        }
        return try ScriptedAgent(script, script)
    }

    private static func run(_ command: String, _ path: String, _ options: [String] = []) async throws -> FinishedCommand
    {
        try await FinishedCommand.run([command, "--socket", path] + options)
    }

    @Test(arguments: ["status", "subscribers"])
    func `without an agent, the socket path and the next step are reported, with status 69`(_ command: String)
        async throws
    {
        let result = try await Self.run(command, "/nonexistent/control.sock")
        #expect(result.status == 69)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("reachagent: no agent answers at /nonexistent/control.sock: No such file"))
        // The first step depends on the machine's service.
        let steps = AgentQuestion.advice(.noAgent(socket: "/nonexistent/control.sock", errno: ENOENT))
        #expect(result.error.hasSuffix(steps.map { "  \($0)\n" }.joined()))
        #expect(result.error.contains("reachagent run --once"))
    }

    @Test(arguments: [
        (AgentService.absent, "start one with 'reachagent run';"), (.withoutSystemd, "start the service;"),
        (.underSystemd, "start one with 'systemctl restart reachagent';"),
    ])
    func `an agent is started by the service, if there is one`(service: AgentService, step: String) {
        let error = StateClientError.noAgent(socket: "/s", errno: ENOENT)
        #expect(AgentQuestion.advice(error, service: service, recorder: nil).first == step)
        // Beside a running one no other one can start; but systemd restarts it.
        let first = AgentQuestion.advice(error, service: service, recorder: 812).first
        #expect(first?.contains("'kill -HUP 812'") == (service != .underSystemd))
        #expect((first == step) == (service == .underSystemd))
    }

    @Test(arguments: [
        (
            StateClientError.disconnected(socket: "/s"),
            "'systemctl status reachagent' and 'journalctl -u reachagent' show why"
        ),
        (.timedOut(socket: "/s"), "'systemctl status reachagent' and 'journalctl -u reachagent' show what it does"),
    ])
    func `with a service the next step is a command of systemd`(error: StateClientError, step: String) {
        #expect(AgentQuestion.advice(error, service: .underSystemd).first == step)
    }

    @Test(arguments: [
        ([], AgentService.absent), (["run/systemd/system"], .absent), (["lib/systemd/system"], .withoutSystemd),
        (["run/systemd/system", "lib/systemd/system"], .underSystemd),
        (["run/systemd/system", "etc/systemd/system"], .underSystemd),
    ])
    func `systemd has a unit of the agent only where it runs`(directories: [String], service: AgentService) throws {
        let root = try TemporaryDirectory()
        for directory in directories {
            let path = "\(root.path)/\(directory)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            guard !directory.hasPrefix("run") else { continue }
            #expect(FileManager.default.createFile(atPath: "\(path)/reachagent.service", contents: nil))
        }
        #expect(AgentService.installed(root: root.path) == service)
    }

    @Test(.enabled(if: access("/run/reachagent/control.sock", F_OK) != 0, "there is an agent"))
    func `the default socket paths are named when there is an agent at none of them`() async throws {
        let environment = ["RUNTIME_DIRECTORY": "/nonexistent/a:/nonexistent/b", "XDG_RUNTIME_DIR": "/nonexistent"]
        let result = try await FinishedCommand.run(["status"], environment: environment)
        #expect(result.status == 69)
        #expect(result.error.contains("no agent answers at /run/reachagent/control.sock"))
        for other in ["a", "b", "reachagent"] {
            #expect(result.error.contains("and there is no /nonexistent/\(other)/control.sock"))
        }
    }

    @Test func `a machine that is not reachable is reported with status 1`() async throws {
        let status = try String(contentsOf: Self.golden, encoding: .utf8).dropLast()
        let agent = try Self.agent("{\"parameters\":\(status)}")
        let text = try await Self.run("status", agent.path)
        #expect(agent.requests == [#"{"method":"status"}"#])
        #expect(text.status == 1)
        #expect(text.output.hasPrefix("edge-7  NOT REACHABLE, since "))
        #expect(text.output.contains("\nno carrier on wlan0 [link_down]\n"))
        #expect(text.error.isEmpty)
    }

    @Test(arguments: [["--json"], ["--output", "json"], ["--output", "short"], ["probes", "--color", "always"]])
    func `each form of the output has the status of the state`(_ options: [String]) async throws {
        let status = try String(contentsOf: Self.golden, encoding: .utf8).dropLast()
        let agent = try Self.agent("{\"parameters\":\(status)}")
        let result = try await Self.run("status", agent.path, options)
        #expect(result.status == 1)
        switch options.last {
        case "json", "--json": #expect(result.output == status + "\n")
        case "short": #expect(result.output == "none: link_down\n")
        default: #expect(!result.output.contains("NOT REACHABLE"))
        }
    }

    @Test func `a terminal that shows escape sequences as text is not watched on`() async throws {
        let watch = "\(BuiltAgent.path) status --watch --socket /nonexistent/control.sock"
        let result = try await FinishedCommand.run(
            ["-c", "TERM=dumb exec script --quiet --return --flush --command '\(watch)' /dev/null"],
            of: "/bin/sh",
            patience: 30
        )
        #expect(result.status == 64)
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("'--watch' needs a terminal other than TERM=dumb: 'reachagent watch' prints each event"))
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test func `without an agent the short form is a line as well`() async throws {
        let result = try await Self.run("status", "/nonexistent/control.sock", ["--output", "short"])
        #expect(result.status == 69)
        #expect(result.output == "no agent\n")
        #expect(result.error.isEmpty)
    }

    @Test func `an agent that refuses to be watched is not reported as missing`() async throws {
        let refuse: ScriptedAgent.Script = { connection in
            connection.readLine()
            connection.send(lines: AgentLines.error("too_many_connections", #"{"limit":4}"#))
        }
        // The events and the status are requested; the third connection is another attempt.
        let agent = try ScriptedAgent(refuse, refuse, { $0.waitForClose() })
        let watch = try CommandLines("exec '\(BuiltAgent.path)' status --watch --output short --socket '\(agent.path)'")
        #expect(await watch.next() == "no answer")
        watch.end()
        withExtendedLifetime(agent) {}
    }

    @Test(arguments: [["--watch"], ["--watch", "--json"], ["wifi"], ["--output", "xml"], ["--color", "blue"]])
    func `invalid options are a usage error`(_ options: [String]) async throws {
        let result = try await Self.run("status", "/nonexistent/control.sock", options)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("reachagent status: "))
    }

    @Test func `a machine that is reachable is reported with status 0`() async throws {
        let agent = try Self.agent(#"{"parameters":{"state":{"via":"wired","path":{"interface":"eth0"}}}}"#)
        let result = try await Self.run("status", agent.path)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("REACHABLE over wired eth0\n"))
    }

    @Test func `subscribers are listed with status 0, whatever the state`() async throws {
        let reply = #"{"subscribers":[{"socket":"events","pid":1,"uid":0,"command":"jq","state":"live"}],"limit":16}"#
        let agent = try Self.agent("{\"parameters\":\(reply)}")
        let text = try await Self.run("subscribers", agent.path)
        #expect(text.status == 0)
        #expect(text.lines.last == "1 of 16 connections")
        let json = try await Self.run("subscribers", agent.path, ["--json"])
        #expect(json.output == reply + "\n")
    }

    @Test(arguments: [
        (#"{"error":"too_many_requests","parameters":{"message":"later"}}"#, "later [too_many_requests]"),
        (#"{"parameters":[]}"#, "cannot be understood"), ("nonsense", "cannot be understood"),
        (#"{"error":"x\u001b[31m","parameters":{}}"#, "x"),
    ])
    func `an invalid answer is reported in one sentence, with status 75`(_ answer: String, _ message: String)
        async throws
    {
        let agent = try Self.agent(answer)
        let result = try await Self.run("status", agent.path)
        #expect(result.status == 75)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("reachagent: "))
        #expect(result.error.contains(message))
        #expect(!result.error.contains("\u{1B}"))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "only root can become another user"))
    func `a user without access gets the owner, the group and the remedy, with status 77`() async throws {
        let agent = try Self.agent("{}")
        try #require(chown(agent.path, 0, 12) == 0)
        try #require(chmod(agent.path, 0o660) == 0)
        let other = ["--reuid=65534", "--regid=65534", "--clear-groups", BuiltAgent.path]
        let result = try await FinishedCommand.run(other + ["status", "--socket", agent.path], of: "/usr/bin/setpriv")
        #expect(result.status == 77)
        #expect(result.error.hasPrefix("reachagent: \(agent.path) may not be used: Permission denied"))
        #expect(result.error.contains("it belongs to the user 'root' and the group '"))
        #expect(result.error.contains("usermod -aG "))
    }
}
