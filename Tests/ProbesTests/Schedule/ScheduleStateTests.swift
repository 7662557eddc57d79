import Testing

@testable import Probes

@Suite struct ScheduleStateTests {
    private let now = ContinuousClock.Instant.now

    /// A scheduler with one probe that is due in a minute, and a thread that sleeps until the given moment.
    private func state(asleepUntil sleepsUntil: ContinuousClock.Instant?) -> ScheduleState {
        var schedule = ProbeSchedule(epoch: now - .seconds(1000), seed: 1)
        _ = schedule.setProbes([.sample("web")], now: now + .seconds(60))
        var state = ScheduleState(schedule: schedule)
        state.isAsleep = true
        state.sleepsUntil = sleepsUntil
        return state
    }

    @Test(arguments: [
        // For ever, too long, exactly as long as needed, and less.
        (nil, true), (90, true), (60, false), (30, false),
        // The moment is over and the thread still sleeps: its clock stood still while the machine was suspended.
        (-1, true),
    ])
    func `a thread is woken only when it would be late`(seconds: Int?, isWoken: Bool) {
        let state = state(asleepUntil: seconds.map { now + .seconds($0) })
        #expect(state.mustWake(now: now) == isWoken)
    }

    @Test func `a thread that is awake, or has nothing to wait for, is left alone`() {
        var awake = state(asleepUntil: nil)
        awake.isAsleep = false
        #expect(!awake.mustWake(now: now))
        var idle = state(asleepUntil: nil)
        _ = idle.schedule.removeAll()
        #expect(!idle.mustWake(now: now))
        idle.isWorkWanted = true
        #expect(idle.mustWake(now: now))
    }

    @Test func `after a stop there is nothing to do`() {
        var state = state(asleepUntil: nil)
        state.schedule.takeDue(now: now + .seconds(60))
        var running = state
        let begun = running.takeWork(now: now + .seconds(60), seconds: 0)
        #expect(begun != nil)
        state.isStopped = true
        let work = state.takeWork(now: now + .seconds(60), seconds: 0)
        #expect(work == nil)
    }
}
