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
        // What fork(2) gives a child until it runs its program.
        let copy = dup(try #require(held))
        defer { close(copy) }
        #expect(await first.shut())
        _ = try scripted.open(fixture)
    }

    @Test func `a journal of another process is an error, and can be opened once that has gone`() async throws {
        try fixture.write("lock", Array("4711\n".utf8))
        let holder = Process()
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = ["flock", "\(fixture.directory)/lock", "sh", "-c", "echo held; read -r line"]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        let hasEnded = AsyncStream<Void>.makeStream()
        holder.terminationHandler = { _ in hasEnded.continuation.finish() }
        try holder.run()
        let said = await onThread { output.fileHandleForReading.availableData }
        #expect(said == Data("held\n".utf8))
        #expect(throws: JournalError(operation: "write", path: fixture.directory, cause: .inUse(by: 4711))) {
            _ = try scripted.open(fixture)
        }
        // A line, because other programs that the tests start may hold the pipe open.
        try input.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
        for await _ in hasEnded.stream {}
        _ = try scripted.open(fixture)
        #expect(try fixture.contents("lock") == Array("\(getpid())\n".utf8))
    }
}
