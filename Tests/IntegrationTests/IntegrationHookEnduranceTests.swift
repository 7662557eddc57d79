import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Many runs.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookEnduranceTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    @Test
    func `10,000 runs leave no zombie, no more descriptors and not much more memory than 100`() async throws {
        let hooks = (0..<50).map {
            "[hook.h\($0)]\ncommand = [\"true\"]\non = \"path.changed\"\nqueue = \"all\"\nconcurrency = 2\n\n"
        }
        let agent = try await HookAgent.start(in: lab, hooks.joined())
        let process = agent.processIdentifier
        let routes = try RouteWriter(in: lab)
        var before: (descriptors: [String: Int], memory: Int) = ([:], 0)
        var all = 0
        // Never more than wait in a queue.
        for (round, events) in [2, 99, 99].enumerated() {
            if round == 1 { before = (try ProcessTable.descriptors(of: process), try residentKiB(process)) }
            _ = try await routes.change(agent, times: events, last: 50 + round)
            all += 50 * events
            for _ in agent.completions.count..<all { try await agent.next("hook.completed") }
        }
        #expect(agent.completions.count == 10_000)
        #expect(agent.completions.allSatisfy { $0.run?.ending.outcome == "succeeded" && $0.run?.superseded ?? 0 == 0 })
        #expect(!before.descriptors.isEmpty)
        #expect(try await hasNoMoreDescriptors(than: before.descriptors, process))
        #expect(try ProcessTable.children(of: process) == [])
        #expect(try residentKiB(process) - before.memory < 32 * 1024)
        #expect(try await agent.stop() == 0)
    }

    /// A lookup after the last change may have a socket for a moment; what leaks stays.
    private func hasNoMoreDescriptors(than before: [String: Int], _ process: Int32) async throws -> Bool {
        for _ in 0..<500 {
            let now = try ProcessTable.descriptors(of: process)
            if now.allSatisfy({ $0.value <= before[$0.key, default: 0] }) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private func residentKiB(_ process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Int($0.1) })
    }
}
