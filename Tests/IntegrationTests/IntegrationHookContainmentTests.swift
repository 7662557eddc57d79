import AgentEvents
import AgentTestKit
import Foundation
import Glibc
import Testing

/// The containment of hooks: their processes do not outlive the timeout, and none stays as a zombie.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookContainmentTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    /// A process without the hook's parent, session and group, which takes no TERM and keeps a pipe open.
    private func clinging(_ program: String) -> String {
        """
        (setsid sh -c 'trap "" TERM; echo clinging >&9; exec \(program)' &)
        """
    }

    @Test
    func `a process started by a double fork is killed with its run at the timeout`() async throws {
        let alive = try lab.channel("alive", ends: true)
        try lab.put("etc/10-hook", "exec 9> \(lab.path)/alive\n\(clinging("sleep 1000"))\nsleep 1000")
        let agent = try await HookAgent.start(in: lab, "[hooks]\ntimeout = \"5s\"\n")
        let run = try await agent.completed("10-hook", for: agent.events.first(of: "reachability.changed"))
        #expect(run.run?.ending.outcome == "timed_out")
        #expect(await alive.next() == "clinging")
        // The pipe ends when the last of them has.
        #expect(await alive.next() == nil)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a process started by a double fork is killed with its run when the agent stops`() async throws {
        let alive = try lab.channel("alive", ends: true)
        try lab.put("etc/10-hook", "exec 9> \(lab.path)/alive\n\(clinging("sleep 1000"))\nsleep 1000")
        let agent = try await HookAgent.start(in: lab, "[hooks]\nstop_grace = \"0s\"\n")
        #expect(await alive.next() == "clinging")
        #expect(try await agent.stop() == 0)
        #expect(await alive.next() == nil)
    }

    @Test
    func `as process 1 the agent reaps orphaned processes, and reports how each hook ended`() async throws {
        let gate = try lab.gate("gate")
        let ended = try lab.channel("ended", ends: true)
        let script = try lab.put(
            "orphans",
            """
            exec 9> \(lab.path)/ended
            for number in 1 2 3 4 5; do
              (setsid sh -c 'read line < \(lab.path)/gate; echo $$ >&9' > /dev/null 2>&1 &)
            done
            exit $1
            """
        )
        let agent = try await HookAgent.start(
            in: lab,
            (0..<4).map { "[hook.orphans-\($0)]\ncommand = [\"\(script)\", \"\($0)\"]\nat_start = true\n" }.joined(),
            launcher: ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        )
        let first = try agent.events.first(of: "reachability.changed")
        for number in 0..<4 {
            let run = try await agent.completed("orphans-\(number)", for: first)
            #expect(run.run?.ending.outcome == (number == 0 ? "succeeded" : "exited"))
            #expect(Int(run.run?.ending.exitStatus ?? 0) == number)
        }
        let program = try #require(ProcessTable.numbers(ofChildrenOf: agent.processIdentifier).first)
        #expect(try ProcessTable.numbers(ofChildrenOf: program).count == 20)
        gate.open(for: 20)
        // The pipe ends when all of them have; then they are reaped, each by the signal of its end.
        #expect(await ended.rest().count == 20)
        var left = 20
        for _ in 0..<1000 where left > 0 {
            left = try ProcessTable.children(of: program).count
            if left > 0 { usleep(10_000) }
        }
        #expect(left == 0)
        kill(program, SIGTERM)
        #expect(try await agent.ends() == 0)
    }

    @Test
    func `as process 1 the agent, too, ends at once by a second signal`() async throws {
        let started = try lab.channel("started")
        try lab.put("etc/10-hook", "echo started > \(lab.path)/started\nexec sleep 1000")
        let agent = try await HookAgent.start(
            in: lab,
            "[hooks]\nstop_grace = \"5s\"\n",
            launcher: ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        )
        #expect(await started.next() == "started")
        let program = try #require(ProcessTable.numbers(ofChildrenOf: agent.processIdentifier).first)
        // SIGINT is taken first even if both are pending, because its number is lower.
        kill(program, SIGINT)
        kill(program, SIGTERM)
        #expect(try await agent.ends() == 128 + SIGTERM)
    }

    @Test(.withControlGroups)
    func `where control groups are delegated, each run has one, and nothing in it outlives it`() async throws {
        let group = try DelegatedGroup()
        let lab = try HookLab(in: NetworkNamespace(root: .machine))
        try lab.makeLinks()
        let alive = try lab.channel("alive", ends: true)
        // Nothing of the hook's is left that it could be known by, but the group.
        try lab.put(
            "etc/10-hook",
            "exec 9> \(lab.path)/alive\ncat /proc/self/cgroup\n\(clinging("env -i sleep 1000"))\nsleep 1000"
        )
        let agent = try await HookAgent.start(
            in: lab,
            "[hooks]\ntimeout = \"5s\"\nmax_tasks = 100\n",
            launcher: ["sh", "-ec", group.entrance, "sh"]
        )
        let run = try await agent.completed("10-hook", for: agent.events.first(of: "reachability.changed"))
        #expect(run.run?.ending.outcome == "timed_out")
        #expect(run.run?.output?.contains("0::/\(group.name)/hooks/run-") == true, "\(run.run?.output ?? "")")
        #expect(await alive.next() == "clinging")
        #expect(await alive.next() == nil)
        #expect(group.members(of: "agent") == [agent.processIdentifier])
        // Removed at the signal of the last one's end.
        for _ in 0..<1000 where !group.runs.isEmpty { usleep(10_000) }
        #expect(group.runs.isEmpty)
        #expect(try await agent.stop() == 0)
    }
}

/// A control group that is delegated as systemd's `Delegate=` does; it is removed with this object.
private final class DelegatedGroup {
    /// The mount point of control groups of version 2; nil when no group can be made here.
    static let mount: String? = {
        guard NetworkNamespace.obstacleForRoot == nil else { return nil }
        return ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first { mount in
            let test = "\(mount)/reachagent-test-\(getpid())"
            guard access("\(mount)/cgroup.procs", W_OK) == 0, mkdir(test, 0o755) == 0 else { return false }
            defer { rmdir(test) }
            return access("\(test)/cgroup.kill", W_OK) == 0 && mark(test)
        }
    }()

    /// Marks a group as systemd marks those that it delegates.
    private static func mark(_ path: String) -> Bool {
        let script = "import os, sys; os.setxattr(sys.argv[1], 'user.delegate', b'1')"
        return (try? FinishedCommand(["-c", script, path], of: "/usr/bin/python3"))?.status == 0
    }

    let name = "reachagent-\(UUID().uuidString.prefix(8))"
    private let path: String
    /// A shell script that becomes a program in the group, where only version 2 is mounted.
    var entrance: String {
        "mount -t cgroup2 cgroup2 /sys/fs/cgroup; echo $$ > /sys/fs/cgroup/\(name)/cgroup.procs; exec \"$@\""
    }

    init() throws {
        path = "\(Self.mount ?? "")/\(name)"
        guard mkdir(path, 0o755) == 0, Self.mark(path) else {
            throw CommandFailure(command: "mkdir \(path)", status: errno, output: "")
        }
    }

    deinit { for group in ["hooks", "agent", ""] { rmdir("\(path)/\(group)") } }

    func members(of group: String) -> [Int32] {
        let text = (try? String(contentsOfFile: "\(path)/\(group)/cgroup.procs", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int32($0) }
    }

    var runs: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/hooks")) ?? []).filter { $0.hasPrefix("run-") }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, where no control group can be made.
    fileprivate static var withControlGroups: Self {
        .enabled(if: DelegatedGroup.mount != nil, "control groups (version 2) cannot be made here")
    }
}
