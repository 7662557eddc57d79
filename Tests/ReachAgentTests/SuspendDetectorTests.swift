import Testing

@testable import ReachAgent

/// Suspends, detected from the clocks alone.
@Suite struct SuspendDetectorTests {
    /// Clocks that were read at a moment, when the machine had been suspended for so long; all in milliseconds.
    private static func clocks(_ now: Int, suspended: Int = 0, reading: Int = 0) -> SuspendClocks {
        SuspendClocks(
            monotonicBefore: .milliseconds(now),
            boot: .milliseconds(now + suspended) + .milliseconds(reading) / 2,
            monotonicAfter: .milliseconds(now + reading)
        )
    }

    struct Case: Sendable {
        let name: String
        let clocks: [SuspendClocks]
        /// The suspend that each reading of the clocks detects, in milliseconds; `nil` for none.
        let found: [Int?]
    }

    static let cases = [
        Case(name: "the first look knows nothing before it", clocks: [clocks(0, suspended: 90_000)], found: [nil]),
        Case(name: "time alone is no suspend", clocks: [clocks(0), clocks(3_600_000)], found: [nil, nil]),
        Case(
            name: "a suspend is told once, with its length",
            clocks: [clocks(0), clocks(10, suspended: 60_000), clocks(20, suspended: 60_000)],
            found: [nil, 60_000, nil]
        ),
        Case(
            name: "each suspend is told by itself",
            clocks: [clocks(0, suspended: 7), clocks(10, suspended: 1007), clocks(20, suspended: 3007)],
            found: [nil, 1000, 2000]
        ),
        Case(
            name: "the threshold belongs to the suspends",
            clocks: [clocks(0), clocks(10, suspended: 499), clocks(20, suspended: 999)],
            found: [nil, nil, 500]
        ),
        Case(
            name: "short ones do not add up",
            clocks: [clocks(0), clocks(10, suspended: 300), clocks(20, suspended: 600), clocks(30, suspended: 900)],
            found: [nil, nil, nil, nil]
        ),
        Case(
            name: "a thread that was held up is not taken for a suspend",
            clocks: [clocks(0), clocks(10, reading: 5000), clocks(6000)],
            found: [nil, nil, nil]
        ),
        Case(
            name: "what an uncertain look misses the next one finds",
            clocks: [clocks(0), clocks(10, suspended: 2000, reading: 101), clocks(200, suspended: 2000)],
            found: [nil, nil, 2000]
        ),
        Case(
            name: "a slow look counts as long as it is certain enough",
            clocks: [clocks(0), clocks(10, suspended: 2000, reading: 100)],
            found: [nil, 2000]
        ),
        Case(
            name: "clocks that go backwards tell nothing",
            clocks: [clocks(0, suspended: 5000), clocks(10), clocks(20, reading: -50), clocks(30, suspended: 700)],
            found: [nil, nil, nil, 700]
        ),
    ]

    @Test(arguments: cases.indices)
    func `suspends are found`(index: Int) {
        let table = Self.cases[index]
        var detector = SuspendDetector()
        let found = table.clocks.map { detector.detect($0) }
        #expect(found == table.found.map { $0.map { .milliseconds($0) } }, "\(table.name)")
    }

    @Test func `a machine that is awake was not suspended`() {
        let watch = SuspendWatch()
        for _ in 0..<1000 { #expect(watch.takeSuspension() == nil) }
        #expect(watch.descriptor >= 0)
    }

    @Test func `the clocks are read together`() {
        let clocks = SuspendClocks.now
        #expect(clocks.uncertainty >= .zero)
        #expect(clocks.suspended > .seconds(-1))
    }
}
