import AgentEvents
import ArgumentParser
import Availability
import Testing

@testable import ReachAgent

/// The period of a report, from the options of its command.
@Suite struct ReportOptionsTests {
    private static let start = Timestamp(microsecondsSince1970: 0)
    /// Ten minutes after a device without a battery-backed clock was switched on.
    private static let now = Timestamp(microsecondsSince1970: 600_000_000)

    @Test(arguments: [0, 3600, 50_400])
    func `on a clock that was not set a report begins in 1970 at the earliest`(offset: Int64) throws {
        var options = try ReportOptions.parse([])
        for since in [nil, Timestamp(microsecondsSince1970: -2_592_000_000_000)] {
            options.since = since
            let window = try options.window(now: Self.now, in: CivilTime { _ in offset })
            #expect(window.start == Self.start && window.end == Self.now)
        }
    }
}
