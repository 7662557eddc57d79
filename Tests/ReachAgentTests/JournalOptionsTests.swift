import ArgumentParser
import Configuration
import EventJournal
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
}
