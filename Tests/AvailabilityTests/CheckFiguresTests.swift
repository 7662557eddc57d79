import AgentEvents
import Testing

@testable import Availability

@Suite struct CheckFiguresTests {
    @Test func `sums of any number of checks are clamped, and so is the loss`() {
        var counts = ProbeSummary.Counts()
        for code in 0..<4 { counts.add("c\(code)", .max) }
        let moment = Timestamp(microsecondsSince1970: 0)
        let summary = ProbeSummary(
            point: ProbePoint(probe: "web"),
            from: moment,
            to: moment,
            succeeded: .max,
            failed: counts,
            notChecked: counts
        )
        var figures = CheckFigures()
        for _ in 0..<4 { figures.add(ScannedSummary(summary), in: .utc) }
        figures = figures.merged(with: figures)
        #expect(figures.succeeded == 1 << 60 && figures.failed == 1 << 60 && figures.notChecked == 1 << 60)
        #expect(figures.lossMillionths == 500_000)
        #expect(CheckColumns(figures).cells.first == "\(1 << 61)")
    }
}
