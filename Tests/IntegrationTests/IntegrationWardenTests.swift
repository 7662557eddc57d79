import Foundation
import Glibc
import Testing

@testable import AgentTestKit

/// The end of the programs that tests have started, and of their files, when the tests are killed.
@Suite(.onOwnThread, .timeLimit(.minutes(2)))
struct IntegrationWardenTests {
    /// Less than the time after which a program whose lines are awaited is ended anyway.
    private static let patience: Duration = .seconds(20)

    private static func programs(_ count: Int) throws -> [CommandLines] {
        try (0..<count).map { _ in try CommandLines("sleep 600 & sleep 600") }
    }

    private static func expectEnd(of programs: [CommandLines]) async {
        let start = ContinuousClock.now
        for program in programs {
            #expect(await program.rest() == [])
            #expect(await program.status() == -SIGKILL)
        }
        #expect(start.duration(to: .now) < patience)
    }

    @Test func `programs end with the tests, except those that were released`() async throws {
        let programs = try Self.programs(3)
        var warden: Warden? = try Warden()
        for program in programs { warden?.watch(program.processIdentifier) }
        warden?.release(programs[1].processIdentifier)
        // The socket ends, as it does with the tests.
        let shell = try #require(warden?.program)
        warden = nil
        #expect(await onThread { shell.wait() } == 0)
        await Self.expectEnd(of: [programs[0], programs[2]])
        #expect(kill(programs[1].processIdentifier, 0) == 0)
    }

    @Test func `a killed warden is replaced with the next program, and no process is forgotten`() async throws {
        let programs = try Self.programs(3)
        var warden: Warden? = try Warden()
        warden?.watch(programs[0].processIdentifier)
        warden?.watch(programs[1].processIdentifier)
        let killed = try #require(warden?.program)
        #expect(kill(killed.processIdentifier, SIGKILL) == 0)
        #expect(await onThread { killed.wait() } == -SIGKILL)
        warden?.release(programs[1].processIdentifier)
        warden?.watch(programs[2].processIdentifier)
        #expect(warden?.program !== killed)
        warden = nil
        await Self.expectEnd(of: [programs[0], programs[2]])
        #expect(kill(programs[1].processIdentifier, 0) == 0)
    }

    @Test func `the files of tests and of killed programs go with the tests`() async throws {
        let directory = try TemporaryDirectory()
        try directory.file("left behind", "by a test that was killed")
        var warden: Warden? = try Warden(directory: directory.path)
        let shell = try #require(warden?.program)
        warden = nil
        #expect(await onThread { shell.wait() } == 0)
        #expect(!FileManager.default.fileExists(atPath: directory.path))

        let program = try CommandLines("mktemp")
        let file = try #require(await program.next())
        #expect(file.hasPrefix("\(try TemporaryDirectory.ofAllTests)/"))
        let finished = try await FinishedCommand.run(["-u"], of: "/usr/bin/mktemp")
        #expect(finished.output.hasPrefix("\(try TemporaryDirectory.ofAllTests)/"))
    }

    @Test func `a temporary directory goes with its object, and its path has no symbolic link`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let file = try #require(try directory?.file("a", "b"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "b")
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        #expect(resolved.map { String(cString: $0) } == path)
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
