import Glibc
import Testing

@testable import LinuxSupport

@Suite struct ProcessEntryTests {
    @Test(arguments: ["Z", "X", "S", "R"])
    func `the name in parentheses may contain anything`(state: String) throws {
        let fields = (6...24).map { "\($0)" }.joined(separator: " ")
        let line = "42 (a ) Z 7 (b)) \(state) 1 \(fields)\n"
        let entry = try #require(ProcessEntry(parsing: Array(line.utf8)[...]))
        #expect(entry.parent == 1)
        // Field 22 of the line, whose fourth is the parent.
        #expect(entry.began == 23)
        #expect(entry.isDead == ["Z", "X"].contains(state))
    }

    @Test(arguments: ["", "42", "42 (a) S", "42 (a) S 1 2", "42 (a) S x" + String(repeating: " 1", count: 30)])
    func `a line without its fields is none`(line: String) {
        #expect(ProcessEntry(parsing: Array(line.utf8)[...]) == nil)
    }

    @Test func `this process runs, and an earlier one with its ID has ended`() throws {
        let entry = try #require(ProcessEntry(of: getpid()))
        #expect(entry.parent == getppid() && !entry.isDead)
        #expect(!ProcessIdentity(of: getpid()).hasEnded)
        #expect(ProcessIdentity(number: getpid(), began: entry.began - 1).hasEnded)
    }

    @Test func `only a process that has certainly ended has ended`() {
        #expect(ProcessIdentity(of: .max).hasEnded)
        #expect(ProcessIdentity(number: .max, began: 1).hasEnded)
        // One of another namespace, and one of which the start time is not known.
        #expect(!ProcessIdentity(of: 0).hasEnded)
        #expect(!ProcessIdentity(number: getpid(), began: nil).hasEnded)
    }

    @Test func `a process has ended before its parent takes notice`() throws {
        var child: pid_t = 0
        try #require(posix_spawn(&child, "/bin/true", nil, nil, [nil], [nil]) == 0)
        let identity = ProcessIdentity(of: child)
        var information = siginfo_t()
        // It stays a zombie.
        try #require(waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) == 0)
        #expect(kill(child, 0) == 0)
        #expect(identity.hasEnded)
        #expect(waitpid(child, nil, 0) == child)
        #expect(identity.hasEnded)
    }
}
