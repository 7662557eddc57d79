import AgentTestKit
import Dispatch
import LinuxSupport
import ServiceSupport
import Testing

@testable import ReachAgent

@Suite(.onOwnThread) struct ReloadNoticeTests {
    @Test func `a reload is reported while the agent is ready, and its error with the state`() throws {
        let directory = try TemporaryDirectory()
        let name = "\(directory.path)/notify"
        let manager = try FakeManager(at: name)
        let socket = try #require(try NotifySocket.named(in: ["NOTIFY_SOCKET": name]))
        let reporter = ServiceReporter(
            socket: socket,
            watchdog: nil,
            startUpCode: StartUpCode(),
            sentence: { "reachable" },
            wake: {}
        )
        for reading in [Reloader.Reading.started, .ended(refusal: "a.toml: bad")] { reporter.note(reading) }
        reporter.ready([])
        #expect(manager.next() == "READY=1\nSTATUS=reachable; the last reload was rejected: a.toml: bad")
        reporter.note(.started)
        #expect(manager.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        reporter.note(.ended(refusal: nil))
        #expect(manager.next() == "READY=1\nSTATUS=reachable")
        reporter.stopping(because: "SIGTERM")
        #expect(manager.next() == "STOPPING=1\nSTATUS=stopping: SIGTERM")
        for reading in [Reloader.Reading.started, .ended(refusal: nil)] { reporter.note(reading) }
        #expect(socket.send([.watchdog]))
        #expect(manager.next() == "WATCHDOG=1")
    }
}

@Suite(.onOwnThread) struct RejectedReloadTests {
    @Test(arguments: [("reachable", "reachable"), ("not reachable: No route.", "not reachable: No route")])
    func `the error of a reload follows the state in one sentence`(state: String, beginning: String) throws {
        let directory = try TemporaryDirectory()
        let name = "\(directory.path)/notify"
        let manager = try FakeManager(at: name)
        let socket = try #require(try NotifySocket.named(in: ["NOTIFY_SOCKET": name]))
        let reporter = ServiceReporter(
            socket: socket,
            watchdog: nil,
            startUpCode: StartUpCode(),
            sentence: { state },
            wake: {}
        )
        reporter.ready([])
        #expect(manager.next() == "READY=1\nSTATUS=\(state)")
        reporter.note(.ended(refusal: "a.toml: bad"))
        #expect(manager.next() == "READY=1\nSTATUS=\(beginning); the last reload was rejected: a.toml: bad")
    }
}

@Suite(.onOwnThread) struct AwakeTests {
    @Test(.timeLimit(.minutes(1)))
    func `a check does not wait for a notice that is being sent`() throws {
        let directory = try TemporaryDirectory()
        let name = "\(directory.path)/notify"
        let manager = try FakeManager(at: name)
        let socket = try #require(try NotifySocket.named(in: ["NOTIFY_SOCKET": name]))
        let (sending, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reporter = ServiceReporter(
            socket: socket,
            watchdog: nil,
            startUpCode: StartUpCode(),
            sentence: {
                sending.signal()
                gate.wait()
                return "reachable"
            },
            wake: {}
        )
        try NamedThread.start("ready") { reporter.ready([]) }
        sending.wait()
        reporter.noteAwake()
        gate.signal()
        #expect(manager.next() == "READY=1\nSTATUS=reachable")
    }
}

@Suite final class LivenessCheckTests {
    private static let start = ContinuousClock.now
    private var call = LivenessCheck(["netlink", "sockets"], every: .seconds(80), from: start)

    private func after(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    private func step(_ seconds: Int) -> LivenessCheck.Step { call.step(at: after(seconds)) }
    private func answer(_ member: Int, round: Int) -> Bool { call.answer(member, round: round) }

    @Test func `no thread is checked in the first half of the interval, and none is woken before its end`() {
        #expect(call.deadline == after(80))
        #expect(step(39) == LivenessCheck.Step(round: 0))
        #expect(!call.isWelcome(at: after(39)))
    }

    @Test func `any wakeup in the second half checks all threads, and starts the next interval`() {
        #expect(call.isWelcome(at: after(50)))
        #expect(step(50) == LivenessCheck.Step(round: 1, asked: [0, 1]))
        #expect(!call.isWelcome(at: after(51)))
        for member in 0...1 { _ = answer(member, round: 1) }
        #expect(step(51).isComplete)
        #expect(call.deadline == after(130))
        #expect(!call.isWelcome(at: after(89)))
        #expect(call.isWelcome(at: after(90)))
    }

    @Test func `the keep-alive is sent after the last answer, and the next is due an interval after the check`() {
        #expect(step(80) == LivenessCheck.Step(round: 1, asked: [0, 1]))
        #expect(!answer(1, round: 1))
        #expect(step(81) == LivenessCheck.Step(round: 1))
        #expect(answer(0, round: 1))
        #expect(step(82) == LivenessCheck.Step(round: 1, isComplete: true))
        #expect(step(83) == LivenessCheck.Step(round: 1))
        #expect(call.deadline == after(160))
        #expect(step(160) == LivenessCheck.Step(round: 2, asked: [0, 1]))
    }

    @Test func `a silent thread is checked again, and an answer to any of the checks counts`() {
        _ = step(80)
        _ = answer(0, round: 1)
        #expect(call.deadline == after(90))
        #expect(step(90) == LivenessCheck.Step(round: 1, asked: [1]))
        #expect(answer(1, round: 1))
        #expect(!answer(1, round: 1))
        #expect(step(91).isComplete)
    }

    @Test func `an answer to another round, or of an unknown thread, is ignored`() {
        _ = step(80)
        for (member, round) in [(0, 0), (0, 2), (7, 1), (-1, 1)] { #expect(!answer(member, round: round)) }
        #expect(step(90).asked == [0, 1])
    }

    @Test func `a thread that stays silent is named once, is not checked again, and may still answer`() {
        var now = 80
        var steps: [LivenessCheck.Step] = []
        while let deadline = call.deadline, steps.count < 100 {
            #expect(deadline == after(now))
            steps.append(step(now))
            _ = answer(0, round: 1)
            now += 10
        }
        #expect(steps.count == 9)
        #expect(steps.map(\.silent) == Array(repeating: [], count: 8) + [["sockets"]])
        #expect(step(10_000) == LivenessCheck.Step(round: 1))
        #expect(answer(1, round: 1))
        #expect(step(10_001).isComplete)
        #expect(step(10_002).round == 2)
    }

    @Test func `without threads to check the keep-alive is sent with the next wakeup`() {
        call = LivenessCheck([], every: .seconds(8), from: Self.start)
        _ = step(8)
        #expect(step(9).isComplete)
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

    @Test func `a keep-alive is sent in half the time`() {
        #expect(WatchdogTimeout(in: ["WATCHDOG_USEC": "3000000"], of: 42)?.interval == .milliseconds(1500))
    }
}
