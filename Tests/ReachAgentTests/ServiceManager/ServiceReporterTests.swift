import Testing

@testable import ReachAgent

@Suite final class RollCallTests {
    private static let start = ContinuousClock.now
    private var call = RollCall(["netlink", "sockets"], every: .seconds(80), from: start)

    private func after(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    private func turn(_ seconds: Int) -> RollCall.Turn { call.turn(at: after(seconds)) }
    private func answer(_ member: Int, round: Int) -> Bool { call.answer(member, round: round) }

    @Test func `nobody is asked in the first half of the interval, and nobody is woken before its end`() {
        #expect(call.deadline == after(80))
        #expect(turn(39) == RollCall.Turn(round: 0))
        #expect(!call.isWelcome(at: after(39)))
    }

    @Test func `in the second half everybody is asked at any turn, and the next interval begins with it`() {
        #expect(call.isWelcome(at: after(50)))
        #expect(turn(50) == RollCall.Turn(round: 1, asked: [0, 1]))
        #expect(!call.isWelcome(at: after(51)))
        for member in 0...1 { _ = answer(member, round: 1) }
        #expect(turn(51).isComplete)
        #expect(call.deadline == after(130))
        #expect(!call.isWelcome(at: after(89)))
        #expect(call.isWelcome(at: after(90)))
    }

    @Test func `the sign is given when the last has answered, and the next is owed an interval after the question`() {
        #expect(turn(80) == RollCall.Turn(round: 1, asked: [0, 1]))
        #expect(!answer(1, round: 1))
        #expect(turn(81) == RollCall.Turn(round: 1))
        #expect(answer(0, round: 1))
        #expect(turn(82) == RollCall.Turn(round: 1, isComplete: true))
        #expect(turn(83) == RollCall.Turn(round: 1))
        #expect(call.deadline == after(160))
        #expect(turn(160) == RollCall.Turn(round: 2, asked: [0, 1]))
    }

    @Test func `who is silent is asked again, and an answer to any of the questions counts`() {
        _ = turn(80)
        _ = answer(0, round: 1)
        #expect(call.deadline == after(90))
        #expect(turn(90) == RollCall.Turn(round: 1, asked: [1]))
        #expect(answer(1, round: 1))
        #expect(!answer(1, round: 1))
        #expect(turn(91).isComplete)
    }

    @Test func `an answer to an earlier round, or of nobody, counts for nothing`() {
        _ = turn(80)
        for (member, round) in [(0, 0), (0, 2), (7, 1), (-1, 1)] { #expect(!answer(member, round: round)) }
        #expect(turn(90).asked == [0, 1])
    }

    @Test func `who stays silent is named once, is asked no more, and may still answer`() {
        var now = 80
        var turns: [RollCall.Turn] = []
        while let deadline = call.deadline, turns.count < 100 {
            #expect(deadline == after(now))
            turns.append(turn(now))
            _ = answer(0, round: 1)
            now += 10
        }
        #expect(turns.count == 9)
        #expect(turns.map(\.silent) == Array(repeating: [], count: 8) + [["sockets"]])
        #expect(turn(10_000) == RollCall.Turn(round: 1))
        #expect(answer(1, round: 1))
        #expect(turn(10_001).isComplete)
        #expect(turn(10_002).round == 2)
    }

    @Test func `where nobody has to answer the sign of life comes with the next turn`() {
        call = RollCall([], every: .seconds(8), from: Self.start)
        _ = turn(8)
        #expect(turn(9).isComplete)
    }
}

@Suite struct WatchdogTimeoutTests {
    @Test(arguments: [
        ("180000000" as String?, nil as String?, .seconds(180) as Duration?),
        ("180000000", "42", .seconds(180)),
        ("1", nil, .microseconds(1)),
        ("180000000", "43", nil),
        ("180000000", "x", nil),
        ("0", nil, nil),
        ("-5", nil, nil),
        ("", nil, nil),
        ("3min", nil, nil),
        ("99999999999999999999999999", nil, nil),
        (nil, "42", nil),
    ])
    func `the time is that of the environment, if it is meant for this process`(
        microseconds: String?,
        process: String?,
        expected: Duration?
    ) {
        let timeout = WatchdogTimeout(
            in: ["WATCHDOG_USEC": microseconds, "WATCHDOG_PID": process].compactMapValues(\.self),
            of: 42
        )
        #expect(timeout?.duration == expected)
    }

    @Test func `a sign of life is given in half the time`() {
        #expect(WatchdogTimeout(in: ["WATCHDOG_USEC": "3000000"], of: 42)?.interval == .milliseconds(1500))
    }
}
