import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Programs that do what programs should not do.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookProcessTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    /// Runs one script for the first state, with a configuration of the directories' hooks, until its run has ended.
    private func run(_ script: String, _ hooks: String = "") async throws -> (agent: HookAgent, run: SeenEvent) {
        try lab.put("etc/10-hook", script)
        let agent = try await HookAgent.start(in: lab, hooks.isEmpty ? "" : "[hooks]\n\(hooks)\n")
        return try await (agent, agent.completed("10-hook", for: agent.events.first(of: "reachability.changed")))
    }

    @Test
    func `a run that times out is killed, with all its processes`() async throws {
        let alive = try lab.channel("alive", ends: true)
        let (agent, run) = try await run(
            """
            exec 9> \(lab.path)/alive
            (sleep 1000 & wait) &
            sh -c 'trap "" TERM; echo stubborn >&9; while :; do sleep 1000; done' &
            wait
            """,
            #"timeout = "5s""#
        )
        #expect(run.run?.ending.outcome == "timed_out")
        #expect((run.run?.ending.durationMilliseconds ?? 0) >= 5000)
        #expect(run.run?.failures == 1)
        #expect(await alive.next() == "stubborn")
        // The pipe ends when the last of them has.
        #expect(await alive.next() == nil)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a run that ends at the signal has still timed out`() async throws {
        let (agent, run) = try await run("trap 'echo bye; exit 0' TERM; sleep 1000 & wait", #"timeout = "5s""#)
        #expect(run.run?.ending.outcome == "timed_out")
        #expect(run.run?.output == "bye\n")
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `of 100 MB that a hook writes the beginning and the end are kept`() async throws {
        let (agent, run) = try await run("echo begin; head -c 104857600 /dev/zero | tr '\\0' x; echo; echo end >&2")
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(run.run?.outputBytes == 104_857_600 + 11)
        let output = run.run?.output ?? ""
        #expect(output.hasPrefix("begin\nxxx"))
        #expect(output.hasSuffix("xxx\nend\n"))
        let omitted = run.run?.outputOmittedBytes ?? 0
        #expect(omitted >= 104_857_600 - 4096)
        #expect(output.utf8.count < 5000)
        let memory = try String(contentsOfFile: "/proc/\(agent.processIdentifier)/status", encoding: .utf8)
            .firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) }
        #expect((memory ?? .max) < 64 * 1024)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a hook inherits no capability of the agent's`() async throws {
        try lab.put("etc/10-hook", "grep CapAmb /proc/$PPID/status /proc/self/status")
        let launcher = ["setpriv", "--inh-caps=+setuid,+kill", "--ambient-caps=+setuid,+kill"]
        let agent = try await HookAgent.start(in: lab, launcher: launcher)
        let run = try await agent.completed("10-hook", for: agent.events.first(of: "reachability.changed"))
        let output = (run.run?.output ?? "").split(separator: "\n").map { $0.split(separator: "\t").last }
        // The agent's, and the hook's.
        #expect(output == ["00000000000000a0", "0000000000000000"])
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a hook that reads nothing, or closes everything, ends like any other`() async throws {
        let (agent, run) = try await run("exec 0<&- 1>&- 2>&-; exit 0")
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(run.run?.output == nil)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `processes that a hook leaves behind are neither waited for nor killed`() async throws {
        let alive = try lab.channel("alive", ends: true)
        let gate = try lab.gate("gate")
        let (agent, run) = try await run(
            """
            exec 9> \(lab.path)/alive
            echo started
            setsid sh -c 'read line < \(lab.path)/gate; echo daemon >&9' > /dev/null 2>&1 &
            sh -c 'read line < \(lab.path)/gate; echo child >&9' &
            """
        )
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(run.run?.output == "started\n")
        #expect(try await agent.stop() == 0)
        gate.open(for: 2)
        #expect(Set(await alive.rest()) == ["daemon", "child"])
    }

    @Test
    func `exit status, signal and output show how a hook failed`() async throws {
        let script = try lab.put("fails.sh", "echo \"why: $1\"; [ $1 = 3 ] && exit 3; kill -SEGV $$")
        let agent = try await HookAgent.start(
            in: lab,
            ["3", "segv"].map { "[hook.fails-\($0)]\ncommand = [\"\(script)\", \"\($0)\"]\nat_start = true\n" }
                .joined()
        )
        let first = try agent.events.first(of: "reachability.changed")
        let status = try await agent.completed("fails-3", for: first)
        #expect(status.run?.ending.outcome == "exited")
        #expect(status.run?.ending.exitStatus == 3)
        #expect(status.run?.output == "why: 3\n")
        let signal = try await agent.completed("fails-segv", for: first)
        #expect(signal.run?.ending.outcome == "signaled")
        #expect(signal.run?.ending.signal == "SIGSEGV")
        #expect(signal.run?.ending.exitStatus == nil)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a lack of descriptors for a process is reported, and the next event starts a run again`() async throws {
        let agent = try await HookAgent.start(in: lab, "[hook.true]\ncommand = [\"true\"]\n")
        // Its sockets are the last that needs descriptors to start; events come before that.
        #expect(try await agent.ask("status", "--json").output.hasPrefix("{"))
        let limit = "--pid \(agent.processIdentifier) --nofile"
        // Those that it has stay open, but there is none for the pipe of a run's output.
        try lab.namespace.run("prlimit \(limit)=3:")
        try lab.use(.wifi)
        let failed = try await agent.completed("true", for: agent.settles(on: "wifi"))
        #expect(failed.run?.ending.outcome == "not_started")
        #expect(failed.run?.ending.reason?.contains("Too many open files") == true)
        try lab.namespace.run("prlimit \(limit)=1024:")
        try lab.use(.wired)
        let again = try await agent.completed("true", for: agent.settles(on: "wired"))
        #expect(again.run?.ending.outcome == "succeeded")
        #expect(try await agent.stop() == 0)
    }
}
