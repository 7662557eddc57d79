import FoundationEssentials
import ProbeTestKit
import Testing

@Suite
struct ManualClockTests {
    @Test
    func `sleepers wake at their deadline, and not before`() async throws {
        let clock = ManualClock()
        try await withThrowingTaskGroup(of: String.self) { group in
            for (name, seconds) in [("late", 3), ("early", 1), ("middle", 2)] {
                group.addTask {
                    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(seconds)), tolerance: nil)
                    return name
                }
            }
            await clock.sleepers(atLeast: 3)
            #expect(clock.nextDeadline?.offset == .seconds(1))
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleeperCount == 3)
            for expected in ["early", "middle", "late"] {
                clock.advance(to: try #require(clock.nextDeadline))
                #expect(try await group.next() == expected)
            }
        }
        #expect(clock.now.offset == .seconds(3))
    }

    @Test
    func `one step wakes every sleeper that is due`() async throws {
        let clock = ManualClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await clock.sleep(for: .seconds(1)) } }
            group.addTask { try await clock.sleep(for: .seconds(5)) }
            await clock.sleepers(atLeast: 11)
            clock.advance(by: .seconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .seconds(4))
            try await group.waitForAll()
        }
    }

    @Test
    func `the steps of several tasks add up`() async {
        let clock = ManualClock()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<20_000 { clock.advance(by: .seconds(1)) } }
            }
        }
        #expect(clock.now.offset == .seconds(80_000))
    }

    @Test
    func `a sleep with a deadline in the past returns at once`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(2))
        clock.advance(to: ManualClock.Instant(offset: .seconds(1)))
        #expect(clock.now.offset == .seconds(2))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(2)), tolerance: nil)
    }

    @Test
    func `a cancelled sleeper wakes with an error, and the others sleep on`() async throws {
        let clock = ManualClock()
        let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
        let kept = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await kept.value
    }

    @Test
    func `a task that is already cancelled does not sleep`() async {
        let clock = ManualClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test
    func `a wait for sleepers ends when its task is cancelled`() async throws {
        let clock = ManualClock()
        let waiting = Task { await clock.sleepers(atLeast: 2) }
        let kept = Task { await clock.sleepers(atLeast: 1) }
        await Task.yield()
        waiting.cancel()
        await waiting.value
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await kept.value
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }

    @Test
    func `a manual date is constant until it is moved in either direction`() {
        let date = ManualDate(TestDate.utc(2026, 2, 28, 23, 59, 59))
        date.advance(by: .seconds(1))
        #expect(date.now == TestDate.utc(2026, 3))
        date.advance(by: .milliseconds(-500))
        #expect(date.now.timeIntervalSince(TestDate.utc(2026, 3)) == -0.5)
        date.now = TestDate.present
        #expect(date.now == TestDate.utc(2026, 6, 1, 12))
    }
}
