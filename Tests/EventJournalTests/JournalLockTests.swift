import AgentTestKit
import Foundation
import Testing

@testable import EventJournal

/// Two agents, one journal.
@Suite struct JournalLockTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    @Test func `a second journal in the same directory is an error while the first is open`() async throws {
        let first = try scripted.open(fixture)
        #expect(throws: JournalError(operation: "write", path: fixture.directory, cause: .inUse(by: getpid()))) {
            _ = try scripted.open(fixture)
        }
        #expect(await first.shut())
        _ = try scripted.open(fixture)
    }

    @Test func `a closed journal can be opened although a child still has a copy of the lock`() async throws {
        let first = try scripted.open(fixture)
        let lock = "\(fixture.directory)/lock"
        let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == lock
        }
        // A child has such a copy from fork(2) until it runs its program.
        let copy = dup(try #require(held))
        defer { close(copy) }
        #expect(await first.shut())
        _ = try scripted.open(fixture)
    }

    @Test func `a journal of another process is an error, and can be opened once that has gone`() async throws {
        try fixture.write("lock", Array("4711\n".utf8))
        let input = Pipe()
        let holder = try CommandLines(
            "exec flock \(fixture.directory)/lock sh -c 'echo held; read -r line'",
            input: input
        )
        #expect(await holder.next() == "held")
        #expect(throws: JournalError(operation: "write", path: fixture.directory, cause: .inUse(by: 4711))) {
            _ = try scripted.open(fixture)
        }
        // A line: the end would not come while another program has a copy of the pipe.
        try input.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
        #expect(await holder.status() == 0)
        _ = try scripted.open(fixture)
        #expect(try fixture.contents("lock") == Array("\(getpid())\n".utf8))
    }
}
