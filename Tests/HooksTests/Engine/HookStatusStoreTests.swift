import AgentEvents
import Probes
import Testing

@testable import Hooks

/// The status of the hooks, as it is read from other threads.
@Suite
struct HookStatusStoreTests {
    @Test(arguments: [1_795_244_400, -86_400] as [Int64])
    func `the times of runs and attempts move with a clock that is set`(step: Int64) throws {
        let state = HookState(file: RunnableHook(file: "/hooks.d/a", name: "a", timeout: .seconds(1)), on: .every)
        state.note(
            HookCompletion(
                hook: "a",
                kind: "file",
                trigger: "reachability.changed",
                superseded: 0,
                ending: HookEnding(outcome: "exited"),
                delayMilliseconds: 0,
                failures: 1
            ),
            isFailure: true
        )
        let attempt = WebhookAttempt(unsent: .resourcesExhausted, detail: "no thread")
        state.note(WebhookRetry(attempt, number: 1, maximum: 6, pause: .seconds(1)))
        let store = HookStatusStore()
        store.write(state, isHeld: false)
        let (now, instant) = (Timestamp.now, ContinuousClock.now)
        let before = try #require(store.statuses(at: now, instant).first)
        let later = Timestamp(microsecondsSince1970: now.microsecondsSince1970 + (10 + step) * 1_000_000)
        let after = try #require(store.statuses(at: later, instant + .seconds(10)).first)
        for (former, moved) in [(before.last?.ended, after.last?.ended), (before.attempt?.time, after.attempt?.time)] {
            let former = try #require(former)
            #expect(moved?.microsecondsSince1970 == former.microsecondsSince1970 + step * 1_000_000)
        }
    }
}
