import NetlinkMonitor
import Testing

@testable import Reachability

/// The settling of values before they are published.
///
/// Time is in milliseconds; the policy is 250 up and 1000 down, so that the longest waits are 750 and 3000.
struct SettlerTests {
    /// A value with a grade and a detail that consumers do not act on.
    struct Signal: SettlingValue {
        let isUp: Bool
        var detail = 0
        var grade: Bool { isUp }
        func loses(to next: Signal) -> Bool { isUp && !next.isUp }
    }

    /// One observation of a case: its time and its value.
    struct Step: Sendable {
        let at: Int
        let value: Signal
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [Step]
        /// The published values, with their times.
        let expected: [(at: Int, isUp: Bool, detail: Int)]
        var until = 20_000
        var testDescription: String { name }
    }

    static let up = Signal(isUp: true)
    static let down = Signal(isUp: false)

    static func flapping(every period: Int, from start: Int, to end: Int) -> [Step] {
        stride(from: start, to: end, by: period).enumerated().map { index, at in
            Step(at: at, value: index.isMultiple(of: 2) ? down : up)
        }
    }

    static func blips(
        of length: Int,
        every period: Int,
        from start: Int,
        to end: Int,
        as blip: Signal = down,
        else rest: Signal = up
    ) -> [Step] {
        stride(from: start, to: end, by: period).flatMap {
            [Step(at: $0, value: blip), Step(at: $0 + length, value: rest)]
        }
    }

    static let cases: [Case] = [
        Case(name: "the first value is published at once", steps: [Step(at: 0, value: up)], expected: [(0, true, 0)]),
        Case(
            name: "a loss is published when it has held for the down time",
            steps: [Step(at: 0, value: up), Step(at: 100, value: down)],
            expected: [(0, true, 0), (1100, false, 0)]
        ),
        Case(
            name: "a gain is published when it has held for the up time",
            steps: [Step(at: 0, value: down), Step(at: 100, value: up)],
            expected: [(0, false, 0), (350, true, 0)]
        ),
        Case(
            name: "a loss that is shorter than the down time was none",
            steps: [Step(at: 0, value: up), Step(at: 100, value: down), Step(at: 1099, value: up)],
            expected: [(0, true, 0)]
        ),
        Case(
            name: "a detail that changes meanwhile does not start the waiting anew",
            steps: [
                Step(at: 0, value: up), Step(at: 100, value: down),
                Step(at: 900, value: Signal(isUp: false, detail: 7)),
            ],
            expected: [(0, true, 0), (1100, false, 7)]
        ),
        Case(
            name: "a detail alone is published after the up time",
            steps: [Step(at: 0, value: up), Step(at: 100, value: Signal(isUp: true, detail: 3))],
            expected: [(0, true, 0), (350, true, 3)]
        ),
        Case(
            name: "an equal value is no change",
            steps: [Step(at: 0, value: up), Step(at: 100, value: up), Step(at: 5000, value: up)],
            expected: [(0, true, 0)]
        ),
        Case(
            name: "a link that is down most of the time is published lost after the longest wait, up or not",
            steps: [Step(at: 0, value: up)] + flapping(every: 200, from: 1000, to: 4300),
            // Restless from 1000; down for 1600 ms of the 3000, and up at 4000 or not.
            expected: [(0, true, 0), (4000, false, 0)],
            until: 4300
        ),
        Case(
            name: "a link that is up but for blips is never published lost, though the longest wait ends in a blip",
            steps: [Step(at: 0, value: up)] + blips(of: 2, every: 800, from: 1000, to: 30_000) + [
                Step(at: 3999, value: down), Step(at: 4001, value: up),
            ],
            expected: [(0, true, 0)],
            until: 40_000
        ),
        Case(
            name: "a link that is down but for blips is published lost after the longest wait, and stays so",
            steps: [Step(at: 0, value: up)] + blips(of: 790, every: 800, from: 1000, to: 30_000),
            expected: [(0, true, 0), (4000, false, 0), (30_840, true, 0)],
            until: 31_000
        ),
        Case(
            name: "a link that is down and comes up for blips is never published up",
            steps: [Step(at: 0, value: down)] + blips(of: 2, every: 200, from: 1000, to: 20_000, as: up, else: down),
            expected: [(0, false, 0)],
            until: 40_000
        ),
        Case(
            name: "a detail that is new between blips is published with the up time",
            steps: [
                Step(at: 0, value: up), Step(at: 1000, value: down),
                Step(at: 1002, value: Signal(isUp: true, detail: 5)),
                Step(at: 1800, value: down), Step(at: 1802, value: Signal(isUp: true, detail: 5)),
            ],
            expected: [(0, true, 0), (1252, true, 5)]
        ),
    ]

    @Test("settling follows the table", arguments: cases)
    func settles(_ settlingCase: Case) {
        let start = ContinuousClock.now
        var settler = Settler(
            unknown: Signal(isUp: false, detail: -1),
            policy: SettlePolicy(up: .milliseconds(250), down: .milliseconds(1000))
        )
        var published: [(at: Int, isUp: Bool, detail: Int)] = []
        func note(_ settled: Change<Signal>?, at: Int) {
            if let settled { published.append((at, settled.to.isUp, settled.to.detail)) }
        }
        var steps = settlingCase.steps.sorted { $0.at < $1.at }[...]
        var now = 0
        while true {
            let deadline = settler.deadline.map { Int(start.duration(to: $0) / .milliseconds(1)) }
            let next = [steps.first?.at, deadline.map { max($0, now) }].compactMap { $0 }.min()
            guard let next, next <= settlingCase.until else { break }
            now = next
            let instant = start.advanced(by: .milliseconds(now))
            if let step = steps.first, step.at == now {
                steps.removeFirst()
                let observed = Observed(instant: instant, microsecondsSince1970: 0)
                note(settler.observe(step.value, cause: .start, observed: observed, at: instant), at: now)
            } else {
                note(settler.tick(at: instant), at: now)
            }
        }
        #expect(published.map(\.at) == settlingCase.expected.map(\.at))
        #expect(published.map(\.isUp) == settlingCase.expected.map(\.isUp))
        #expect(published.map(\.detail) == settlingCase.expected.map(\.detail))
    }

    /// The changes of one wait, each with its cause, and the position of the one that is published as the cause.
    struct CauseCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let deciding: Int
    }

    static let causes = [
        CauseCase(
            testDescription: "details alone: the last change, which made the value",
            steps: [
                Step(at: 100, value: Signal(isUp: true, detail: 1)),
                Step(at: 200, value: Signal(isUp: true, detail: 2)),
            ],
            deciding: 1
        ),
        CauseCase(
            testDescription: "a first detail that a later change undid",
            steps: [
                Step(at: 100, value: Signal(isUp: true, detail: 1)), Step(at: 150, value: up),
                Step(at: 200, value: Signal(isUp: true, detail: 2)),
            ],
            deciding: 2
        ),
        CauseCase(
            testDescription: "a loss and a later detail of it: the loss",
            steps: [Step(at: 100, value: down), Step(at: 200, value: Signal(isUp: false, detail: 1))],
            deciding: 0
        ),
        CauseCase(
            testDescription: "a detail after a blip: the detail",
            steps: [
                Step(at: 100, value: down), Step(at: 150, value: Signal(isUp: true, detail: 1)),
                Step(at: 200, value: Signal(isUp: true, detail: 2)),
            ],
            deciding: 2
        ),
        CauseCase(
            testDescription: "a value that blips: its last detail, not its last return",
            steps: [Step(at: 100, value: Signal(isUp: true, detail: 1))]
                + stride(from: 200, to: 800, by: 200).flatMap { at in
                    [
                        Step(at: at, value: down), Step(at: at + 2, value: Signal(isUp: true, detail: 1)),
                        Step(at: at + 10, value: Signal(isUp: true, detail: 2)),
                    ]
                } + [Step(at: 800, value: down)],
            deciding: 9
        ),
    ]

    @Test("the published cause is that of the change that made the value", arguments: causes)
    func cause(_ causeCase: CauseCase) throws {
        let start = ContinuousClock.now
        func observed(_ milliseconds: Int) -> Observed {
            Observed(
                instant: start.advanced(by: .milliseconds(milliseconds)),
                microsecondsSince1970: Int64(milliseconds) * 1000
            )
        }
        var settler = Settler(
            unknown: Signal(isUp: false, detail: -1),
            policy: SettlePolicy(up: .milliseconds(250), down: .milliseconds(1000))
        )
        _ = settler.observe(Self.up, cause: .start, observed: observed(0), at: start)
        var published: Change<Signal>?
        for (position, step) in causeCase.steps.enumerated() where published == nil {
            let time = observed(step.at)
            while let deadline = settler.deadline, deadline < time.instant, published == nil {
                published = settler.tick(at: deadline)
            }
            guard published == nil else { break }
            let cause = ChangeCause(kind: .link, code: "change \(position)")
            published = settler.observe(step.value, cause: cause, observed: time, at: time.instant)
        }
        if published == nil { published = settler.deadline.flatMap { settler.tick(at: $0) } }
        let change = try #require(published)
        #expect(change.cause.code == "change \(causeCase.deciding)")
        #expect(change.observed == observed(causeCase.steps[causeCase.deciding].at))
    }

    @Test("with no settle time every change is published at once")
    func noSettling() {
        var settler = Settler(unknown: Signal(isUp: false, detail: -1), policy: .none)
        let now = ContinuousClock.now
        let observed = Observed(instant: now, microsecondsSince1970: 0)
        for step in 0..<10 {
            let value = Signal(isUp: step.isMultiple(of: 2))
            let settled = settler.observe(value, cause: .start, observed: observed, at: now)
            #expect(settled?.to == value)
            #expect(settled?.settled == .zero)
            #expect(settler.deadline == nil)
        }
    }
}
