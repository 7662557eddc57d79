internal import AgentEvents
internal import Synchronization

/// The status of the hooks as published by a runner's loop, readable without waiting for the loop.
final class HookBoard: Sendable {
    private struct Entry: Sendable {
        var status: AgentStatus.HookStatus
        var pausedUntil: SuspendingClock.Instant?
    }

    private let entries = Mutex<[HookState.Key: Entry]>([:])

    /// The status of each hook, by name.
    var statuses: [AgentStatus.HookStatus] {
        let now = SuspendingClock.now
        return entries.withLock { $0 }.sorted { $0.key < $1.key }.map { _, entry in
            var status = entry.status
            status.pausedMilliseconds = entry.pausedUntil.flatMap { $0 > now ? now.duration(to: $0).milliseconds : nil }
            return status
        }
    }

    /// Publishes the status of a hook.
    func write(_ state: HookState) {
        let entry = Entry(status: state.status, pausedUntil: state.queue.pausedUntil)
        entries.withLock { $0[state.key] = entry }
    }

    /// Removes a hook.
    func erase(_ key: HookState.Key) { entries.withLock { _ = $0.removeValue(forKey: key) } }
}
