internal import AgentEvents
internal import Synchronization

/// The status of the hooks as published by a runner's loop, readable without waiting for the loop.
final class HookStatusStore: Sendable {
    private struct Entry: Sendable {
        var status: AgentStatus.HookStatus
        /// The end of the last run in the status.
        var ended: ContinuousClock.Instant?
        /// The failed attempt in the status.
        var attempted: ContinuousClock.Instant?
        var pausedUntil: SuspendingClock.Instant?
    }

    private let entries = Mutex<[HookState.Key: Entry]>([:])

    /// Returns the status of each hook, by name, with its times by the wall clock as it is set now.
    ///
    /// - Parameters:
    ///   - now: The present time of the wall clock.
    ///   - instant: The present time of the clock that is never set.
    func statuses(at now: Timestamp = .now, _ instant: ContinuousClock.Instant = .now) -> [AgentStatus.HookStatus] {
        func moved(_ time: Timestamp?, since began: ContinuousClock.Instant?) -> Timestamp? {
            guard let time, let began else { return time }
            return time.moved(elapsed: began.duration(to: instant), until: now)
        }
        let awake = SuspendingClock.now
        return entries.withLock { $0 }.sorted { $0.key < $1.key }.map { _, entry in
            var status = entry.status
            status.last?.ended = moved(entry.status.last?.ended, since: entry.ended)
            status.attempt?.time = moved(entry.status.attempt?.time, since: entry.attempted)
            status.pausedMilliseconds = entry.pausedUntil.flatMap {
                $0 > awake ? awake.duration(to: $0).milliseconds : nil
            }
            return status
        }
    }

    /// Publishes the status of a hook, which must not send while it is held.
    func write(_ state: HookState, isHeld: Bool) {
        let entry = Entry(
            status: state.status(isHeld: isHeld),
            ended: state.ended,
            attempted: state.attempted,
            pausedUntil: state.queue.pausedUntil
        )
        entries.withLock { $0[state.key] = entry }
    }

    /// Removes a hook.
    func erase(_ key: HookState.Key) { entries.withLock { _ = $0.removeValue(forKey: key) } }
}
