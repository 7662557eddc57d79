import AgentTestKit
import ArgumentParser
import Configuration
import EventJournal
import Foundation
import Testing

@testable import ReachAgent

@Suite struct JournalOptionsTests {
    @Test(
        arguments: [
            ([], nil, 64 << 20, 8 << 20), ([], 8 << 20, 8 << 20, 1 << 20), ([], 1 << 30, 1 << 30, 8 << 20),
            (["--journal-size", "16M"], 8 << 20, 16 << 20, 2 << 20),
            (["--journal-segment-size", "4M"], 8 << 20, 8 << 20, 4 << 20),
            (["--journal-size", "4M"], nil, 4 << 20, 512 << 10),
            (["--journal-size", "64K", "--journal-segment-size", "16K"], nil, 64 << 10, 16 << 10),
        ] as [([String], Int?, Int, Int)]
    )
    func `a file of the journal has at most an eighth of it, unless the command line sets another size`(
        _ arguments: [String],
        _ configured: Int?,
        _ size: Int,
        _ segment: Int
    ) throws {
        var settings = AgentSettings()
        settings.journalBytes = configured
        let configuration = try JournalOptions.parse(arguments).configuration(in: "/j", settings)
        #expect(configuration.totalBytes == size && configuration.segmentBytes == segment)
    }

    @Test(arguments: [["history"], ["history", "--follow"], ["history", "--json"], ["report"]])
    func `a directory without a journal is an error that names the one below it`(command: [String]) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let sentence = "reachagent: there is no journal in \(directory.path); "
        let none = try await FinishedCommand.run(command + ["--directory", directory.path])
        #expect(none.status == 69)
        #expect(none.error == sentence + "'--directory' names another place\n")
        let journal = "\(directory.path)/journal"
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
        try directory.file("journal/stream", "\(String(repeating: "a", count: 32))\n")
        let above = try await FinishedCommand.run(command + ["--directory", directory.path])
        #expect(above.status == 69)
        #expect(above.error == sentence + "did you mean '\(journal)'?\n")
    }

    @Test func `an empty directory does not hide the journal after it`() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (missing, empty, full) = ("\(directory.path)/none", "\(directory.path)/a", "\(directory.path)/b")
        for path in [empty, full] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        #expect(JournalLocation.existing([missing, empty, full]) == empty)
        let file = try directory.file("b/stream", "\(String(repeating: "a", count: 32))\n")
        #expect(JournalLocation.existing([missing, empty, full]) == full)
        // A directory that cannot be listed is an error to report.
        #expect(JournalLocation.existing([empty, file, full]) == file)
        #expect(JournalLocation.existing([empty, missing]) == empty)
        #expect(JournalLocation.existing([missing]) == missing)
    }

    @Test func `a journal without events is one`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try directory.file("stream", "\(String(repeating: "a", count: 32))\n")
        let history = try await FinishedCommand.run(["history", "--directory", directory.path])
        #expect(history.status == 0 && history.output.isEmpty, "\(history.error)")
    }
}
