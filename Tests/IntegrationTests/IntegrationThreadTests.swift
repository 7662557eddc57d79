import AgentTestKit
import Foundation
import Testing

/// The threads of an agent that does all that it can, as ps(1) and top(1) show them.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationThreadTests {
    /// Those of which there may be several at a time.
    private static let shared: Set = ["evaluation", "hook-check", "hook-wait", "lookup", "probe-file"]

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

    private static func isComplete(_ names: [String], _ expected: Set<String>) -> Bool {
        let own = names.filter { !shared.contains($0) }
        return expected.isSubset(of: names) && Set(own).count == own.count && !own.contains("reachagent")
            && !own.contains { $0.hasPrefix("NIO-") || $0.hasPrefix("TP-") }
    }
}
