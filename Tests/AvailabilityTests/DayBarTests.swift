import AgentEvents
import Testing

@testable import Availability

@Suite
struct DayBarTests {
    @Test(
        arguments: [
            (0, 0, 0, ".........."), (10, 0, 0, "=========="), (0, 10, 0, "##########"), (0, 0, 10, ".........."),
            // Rounding leaves a part over, in which nothing was available.
            (0, 51, 49, "######...."), (0, 1, 999, "#........."), (0, 999, 1, "#########."),
            (1, 50, 49, "=#####...."), (9998, 1, 1, "========#."), (1, 9998, 1, "#########."),
        ] as [(Int64, Int64, Int64, String)]
    )
    func `a bar shows no available time of a day without any, and each outage`(
        available: Int64,
        outage: Int64,
        unknown: Int64,
        bar: String
    ) {
        var tally = Tally()
        tally.add(available, of: .full, followsVerdict: nil)
        tally.add(outage, of: .local, followsVerdict: nil)
        tally.add(unknown, of: .unknown(.noData), followsVerdict: nil)
        #expect(Report.bar(tally, width: 10) == bar)
    }
}
