import NetlinkMonitor
import Testing

@testable import Reachability

/// The detection of flapping.
struct FlapHistoryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// A letter a step, the newest last: `x` is a change.
        let steps: String
        let percent: Double
        let flaps: Bool
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "none", steps: "", percent: 0, flaps: false),
        Case(name: "the newest five", steps: "xxxxx", percent: 29.93, flaps: false),
        Case(name: "the newest six", steps: "xxxxxx", percent: 35.53, flaps: true),
        Case(name: "eight old ones", steps: "xxxxxxxx............", percent: 33.68, flaps: true),
        Case(name: "three fresh ones", steps: "xxx", percent: 18.36, flaps: false),
        Case(name: "all", steps: String(repeating: "x", count: 40), percent: 100, flaps: true),
        Case(
            name: "older than what is looked at",
            steps: "xxxxx" + String(repeating: ".", count: 20),
            percent: 0,
            flaps: false
        ),
    ]

    @Test("the share of changes is weighted towards the newest", arguments: cases)
    func weights(_ flapCase: Case) {
        var history = FlapHistory()
        for step in flapCase.steps { _ = history.add(isChange: step == "x") }
        #expect(abs(history.percent - flapCase.percent) < 0.01)
        #expect(history.isFlapping == flapCase.flaps)
    }

    @Test("flapping stops at 20 percent, and the step that stops it is predicted")
    func stops() throws {
        var history = FlapHistory()
        var started = 0
        for _ in 0..<6 where history.add(isChange: true) { started += 1 }
        #expect(started == 1)
        let steps = try #require(history.stepsUntilStop)
        for step in 1...steps {
            #expect(history.isFlapping)
            #expect(history.add(isChange: false) == (step == steps))
        }
        #expect(!history.isFlapping)
        #expect(history.percent <= 20)
        #expect(history.stepsUntilStop == nil)
    }

    @Test("ten quiet seconds are a sample, and a timer is set only while the state flaps")
    func clock() throws {
        let start = ContinuousClock.now
        var clock = FlapClock()
        for second in 0..<6 { #expect(clock.edge(at: start.advanced(by: .seconds(second))) == false) }
        #expect(clock.deadline == nil)
        #expect(clock.edge(at: start.advanced(by: .seconds(6))) == true)
        let deadline = try #require(clock.deadline)
        #expect(clock.pass(to: deadline.advanced(by: .milliseconds(-1))) == false)
        #expect(clock.deadline == deadline)
        #expect(clock.pass(to: deadline) == true)
        #expect(clock.deadline == nil)
    }

    @Test("edges separated by quiet periods do not count as flapping")
    func slow() {
        let start = ContinuousClock.now
        var clock = FlapClock()
        for edge in 0..<100 { #expect(clock.edge(at: start.advanced(by: .seconds(edge * 60))) == false) }
    }

    @Test("the time for which a machine is suspended is not quiet time")
    func suspended() {
        let start = ContinuousClock.now
        var clock = FlapClock()
        for second in 0...6 { _ = clock.edge(at: start.advanced(by: .seconds(second))) }
        let resumed = start.advanced(by: .seconds(36_000))
        clock.restart(at: resumed)
        #expect(clock.pass(to: resumed) == false)
        #expect(clock.isFlapping)
    }
}
