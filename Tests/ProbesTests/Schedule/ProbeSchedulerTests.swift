import AgentTestKit
import Foundation
import Synchronization
import Testing

@testable import Probes

@Suite(.timeLimit(.minutes(5))) struct ProbeSchedulerTests {
    /// So slow that hardly a round of the grid, which does not begin with the test, falls into it.
    private static let slow = ProbePace(interval: .seconds(31_536_000))

    private static func probe(_ name: String, identity: String? = nil) -> ScheduledProbe {
        .sample(name, identity: identity, pace: slow)
    }

    @Test func `checks begin in order and their reports reach the judge`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: transport) {
            log.add($0)
            return .steady
        }
        scheduler.setProbes([Self.probe("a"), Self.probe("b"), Self.probe("c")])
        scheduler.start()
        await transport.waitForBegun(3)
        #expect(transport.begun == ["tcp://a.test:22", "tcp://b.test:22", "tcp://c.test:22"])
        for host in ["b", "a", "c"] { transport.complete("\(host).test") }
        await log.wait(for: 3)
        #expect(log.names == ["b", "a", "c"])
        #expect(
            log.checks.allSatisfy { $0.report.verdict == .ok && !$0.isShared && $0.started >= $0.due - .seconds(1) }
        )
        #expect(scheduler.statistics.checks == 3)
        // The next round is far away.
        #expect((scheduler.deadlineOfNext ?? .now) > .now + .seconds(1))
        await onThread { scheduler.stop() }
    }

    @Test func `a transport that completes at once and a judge that calls back are safe`() async {
        let transport = ScriptedTransport { $0.completion(SimulatedSchedule.report()) }
        let log = JudgeLog()
        let scheduler = Mutex<ProbeScheduler?>(nil)
        let made = ProbeScheduler(transport: transport, limits: ScheduleLimits(checks: 1)) { check in
            log.add(check)
            let known = scheduler.withLock { $0 }
            // The lock that the scheduler's caller may hold is free, and so is the scheduler's.
            if log.checks.count == 5 { known?.recheck([check.point]) }
            _ = known?.statistics
            return .steady
        }
        scheduler.withLock { $0 = made }
        made.start()
        // More than fit on a stack, were each begun by the one before.
        made.setProbes((0..<2000).map { Self.probe("p\($0)") })
        await log.wait(forProbes: 2000)
        // Some come again after a few seconds: those whose place on the grid is near.
        #expect(Set(log.names).count == 2000)
        await onThread { made.stop() }
        scheduler.withLock { $0 = nil }
    }

    @Test
    func `the thread calls back when it is free of a judge, and the caller does when there is no thread`() async {
        let called = Mutex(0)
        let judged = DispatchSemaphore(value: 0)
        let entered = DispatchSemaphore(value: 0)
        let scheduler = ProbeScheduler(transport: ScriptedTransport { $0.completion(SimulatedSchedule.report()) }) {
            _ in
            entered.signal()
            judged.wait()
            return .steady
        }
        scheduler.whenFree { called.withLock { $0 += 1 } }
        #expect(called.withLock { $0 } == 1)
        scheduler.start()
        await withCheckedContinuation { next in scheduler.whenFree { next.resume() } }
        scheduler.setProbes([Self.probe("a")])
        await onThread { entered.wait() }
        scheduler.whenFree { called.withLock { $0 += 1 } }
        #expect(called.withLock { $0 } == 1)
        judged.signal()
        await withCheckedContinuation { next in scheduler.whenFree { next.resume() } }
        #expect(called.withLock { $0 } == 2)
        await onThread { scheduler.stop() }
    }

    @Test func `every event loop of a prober is idle before it calls back`() async throws {
        let prober = Prober(threads: 3)
        await withCheckedContinuation { next in prober.whenFree { next.resume() } }
        // The first check starts the loops.
        _ = await prober.check(try CheckBench.probe("tcp://name.test:9"))
        await withCheckedContinuation { next in prober.whenFree { next.resume() } }
        await onThread { prober.shutDownAndWait() }
        prober.whenFree { Issue.record("called after the end") }
    }

    @Test func `lookups are renewed before new points and rechecked ones begin`() async {
        let transport = ScriptedTransport()
        let scheduler = ProbeScheduler(transport: transport) { _ in .steady }
        scheduler.start()
        scheduler.setProbes([Self.probe("a")])
        await transport.waitForBegun(1)
        scheduler.recheck([Self.probe("a").point])
        await transport.waitForBegun(2)
        #expect(transport.renewals == [0, 1])
        await onThread { scheduler.stop() }
    }

    @Test func `a recheck cancels the running check and drops its late report`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: transport) {
            log.add($0)
            return .steady
        }
        scheduler.start()
        scheduler.setProbes([Self.probe("a")])
        await transport.waitForBegun(1)
        scheduler.recheck([Self.probe("a").point])
        await transport.waitForBegun(2)
        #expect(transport.cancelled == ["tcp://a.test:22"])
        transport.complete("a.test", with: SimulatedSchedule.report(.unknown(.cancelled, .connect)))
        transport.complete("a.test")
        await log.wait(for: 1)
        #expect(log.checks.map(\.report.verdict) == [.ok])
        await onThread { scheduler.stop() }
    }

    @Test func `a removed point is cancelled and never judged`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: transport, limits: ScheduleLimits(checks: 1)) {
            log.add($0)
            return .steady
        }
        scheduler.start()
        scheduler.setProbes([Self.probe("a"), Self.probe("b")])
        await transport.waitForBegun(1)
        // Its place goes to the one that waits.
        scheduler.setProbes([Self.probe("b")])
        await transport.waitForBegun(2)
        transport.complete("a.test")
        transport.complete("b.test")
        await log.wait(for: 1)
        #expect(log.names == ["b"])
        #expect(transport.cancelled == ["tcp://a.test:22"])
        await onThread { scheduler.stop() }
    }

    @Test func `after a stop nothing is judged and nothing begins`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: transport) {
            log.add($0)
            return .doubtful
        }
        scheduler.start()
        scheduler.setProbes([Self.probe("a"), Self.probe("b")])
        await transport.waitForBegun(2)
        await onThread { scheduler.stop() }
        #expect(Set(transport.cancelled) == ["tcp://a.test:22", "tcp://b.test:22"])
        transport.complete("a.test")
        scheduler.setProbes([Self.probe("c")])
        scheduler.recheck([Self.probe("a").point])
        scheduler.start()
        await onThread { scheduler.stop() }
        #expect(log.names.isEmpty)
        #expect(transport.begun.count == 2)
        #expect(scheduler.deadlineOfNext == nil)
    }

    @Test func `a stop waits for the judge, and the judge may stop`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        let scheduler = Mutex<ProbeScheduler?>(nil)
        let isJudging = Mutex(false)
        let hasBegun = DispatchSemaphore(value: 0)
        let made = ProbeScheduler(transport: transport) { check in
            isJudging.withLock { $0 = true }
            hasBegun.signal()
            scheduler.withLock { $0 }?.stop()
            log.add(check)
            isJudging.withLock { $0 = false }
            return .steady
        }
        scheduler.withLock { $0 = made }
        made.start()
        made.setProbes([Self.probe("a"), Self.probe("b")])
        await transport.waitForBegun(2)
        await onThread {
            transport.complete("a.test")
            // A stop that comes first would leave nothing to judge.
            hasBegun.wait()
            transport.complete("b.test")
            made.stop()
            #expect(!isJudging.withLock { $0 })
        }
        #expect(log.names == ["a"])
        scheduler.withLock { $0 = nil }
    }

    @Test func `points with the same check are judged together`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: transport) {
            log.add($0)
            return .steady
        }
        scheduler.start()
        scheduler.setProbes([Self.probe("a", identity: "same"), Self.probe("b", identity: "same")])
        await transport.waitForBegun(1)
        transport.complete("a.test")
        await log.wait(for: 2)
        #expect(log.names == ["a", "b"])
        #expect(log.checks.map(\.isShared) == [false, true])
        #expect(scheduler.statistics.shared == 1)
        await onThread { scheduler.stop() }
    }

    @Test func `rounds repeat, and one without budget does not spin`() async {
        let transport = ScriptedTransport { $0.completion(SimulatedSchedule.report(bytes: 600)) }
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: transport, seed: 1, wallClock: { 86_400 * 20_000 }) {
            log.add($0)
            return .doubtful
        }
        scheduler.start()
        let cost = LinkCost(account: "wwan", bytesPerDay: 1000)
        scheduler.setProbes([.sample("a", pace: ProbePace(interval: .milliseconds(100)), cost: cost)])
        await log.wait(for: 5)
        await onThread { scheduler.stop() }
        let codes = log.checks.prefix(5).map(\.report.verdict.code)
        #expect(codes == [nil, nil, .budgetExhausted, .budgetExhausted, .budgetExhausted])
        #expect(scheduler.statistics.bytes == ["wwan": 1200])
        // No interval is shorter than 94 ms; a batch begins 5 ms early at the most, and on a busy machine the first one may
        // be later than the others.
        let checks = log.checks.prefix(5)
        #expect(zip(checks, checks.dropFirst()).allSatisfy { $1.due - $0.due >= .milliseconds(94) })
        #expect(checks.allSatisfy { $0.started >= $0.due - .milliseconds(5) })
    }

    @Test func `a scheduler that is let go ends its thread`() async {
        let transport = ScriptedTransport()
        let log = JudgeLog()
        weak var gone: ProbeScheduler?
        do {
            let scheduler = ProbeScheduler(transport: transport) {
                log.add($0)
                return .steady
            }
            gone = scheduler
            scheduler.start()
            scheduler.setProbes([Self.probe("a")])
            await transport.waitForBegun(1)
        }
        #expect(gone == nil)
        #expect(transport.cancelled == ["tcp://a.test:22"])
        transport.complete("a.test")
        #expect(log.names.isEmpty)
    }
}
