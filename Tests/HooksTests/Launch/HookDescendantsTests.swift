import Glibc
import Testing

@testable import Hooks
@testable import LinuxSupport

/// The processes below a program, found by their parents.
@Suite
struct HookDescendantsTests {
    /// Returns a process as /proc shows it; its start time is its ID.
    private static func entry(_ number: pid_t, of parent: pid_t, state: String = "S") throws -> ProcessEntry {
        let fields = ["\(number)", "(hook)", state, "\(parent)"] + (5...21).map { _ in "0" } + ["\(number)"]
        return try #require(ProcessEntry(parsing: Array(fields.joined(separator: " ").utf8)[...]))
    }

    private static func entries(
        _ parents: [pid_t: pid_t],
        dead: Set<pid_t> = []
    ) throws -> [(key: pid_t, value: ProcessEntry)] {
        try parents.map { (key: $0, value: try entry($0, of: $1, state: dead.contains($0) ? "Z" : "S")) }
    }

    @Test
    func `a chain of 20,000 processes is read once`() throws {
        let last = 20_001 as pid_t
        let chain = try Self.entries(Dictionary(uniqueKeysWithValues: (2...last).map { ($0, $0 - 1) }))
        var reads = 0
        let counted = chain.lazy.map { process in
            reads += 1
            return process
        }
        let found = HookDescendants.processes(below: [1], in: counted)
        #expect(found == Dictionary(uniqueKeysWithValues: (2...last).map { ($0, UInt64($0)) }))
        #expect(reads == chain.count)
    }

    @Test
    func `only living processes below the parents are found, also in a loop`() throws {
        let parents: [pid_t: pid_t] = [10: 1, 11: 10, 12: 11, 13: 11, 14: 13, 20: 1, 21: 20, 30: 31, 31: 30]
        let all = try Self.entries(parents, dead: [13])
        #expect(HookDescendants.processes(below: [10], in: all) == [11: 11, 12: 12])
        #expect(HookDescendants.processes(below: [20, 30], in: all) == [21: 21, 31: 31])
        #expect(HookDescendants.processes(below: [], in: all).isEmpty)
    }
}
