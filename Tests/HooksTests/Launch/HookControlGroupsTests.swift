import AgentTestKit
import Foundation
import Testing

@testable import Hooks

/// The groups of runs, with directories in the place of the kernel's: one with something in it cannot be removed either.
struct HookControlGroupsTests {
    private let temporary: TemporaryDirectory
    private var directory: URL { temporary.url }
    let groups: HookControlGroups

    init() throws {
        temporary = try TemporaryDirectory()
        groups = HookControlGroups(in: ControlGroup(path: temporary.path), HookLimits())
    }

    private func putProcess(in group: ControlGroup) -> Bool { group.child("process").make() == 0 }
    private func endProcess(in group: ControlGroup) -> Bool { group.child("process").remove() }

    @Test
    func `the group of a run without remaining processes is removed with it`() throws {
        let run = try #require(groups.begin())
        #expect(groups.end(run))
        #expect(!run.has(""))
    }

    @Test
    func `the group of a run is removed when its remaining processes have ended`() throws {
        let (first, second) = try (#require(groups.begin()), #require(groups.begin()))
        #expect(putProcess(in: first))
        #expect(putProcess(in: second))
        #expect(!groups.end(first))
        #expect(!groups.end(second))

        #expect(endProcess(in: first))
        #expect(!groups.removeEmpty())
        #expect(!first.has(""))
        #expect(second.has(""))

        #expect(endProcess(in: second))
        #expect(groups.removeEmpty())
        #expect(!second.has(""))
    }

    @Test
    func `no sign of an ended process is lost beside the ends of runs`() async throws {
        let runs = try (0..<200).map { _ in try #require(groups.begin()) }
        #expect(runs.allSatisfy(putProcess))
        // As over there SIGCHLD, each end is followed by one look, whatever else is going on.
        await withTaskGroup { tasks in
            for run in runs {
                tasks.addTask { _ = groups.end(run) }
                tasks.addTask {
                    _ = endProcess(in: run)
                    groups.removeEmpty()
                }
            }
        }
        #expect(runs.allSatisfy { !$0.has("") })
    }

    @Test
    func `a controller that could not be enabled at the start limits hooks from the next run on`() throws {
        let hooks = directory.appending(path: "hooks")
        try FileManager.default.createDirectory(at: hooks, withIntermediateDirectories: true)
        let group = ControlGroup(path: hooks.path())
        var limits = HookLimits()
        limits.tasks = 321
        let groups = HookControlGroups(in: group, below: ControlGroup(path: temporary.path), limits)
        #expect(groups.missingControllers == ["pids", "memory"])

        for file in ["cgroup.subtree_control", "hooks/cgroup.subtree_control", "hooks/pids.max", "hooks/memory.max"] {
            try Data().write(to: directory.appending(path: file))
        }
        _ = try #require(groups.begin())
        #expect(groups.missingControllers.isEmpty)
        #expect(try String(contentsOf: hooks.appending(path: "pids.max"), encoding: .utf8) == "321")
        #expect(try String(contentsOf: hooks.appending(path: "memory.max"), encoding: .utf8) == "\(limits.memory)")
    }
}
