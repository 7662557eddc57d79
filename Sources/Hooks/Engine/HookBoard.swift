internal import Synchronization

/// Where a runner's loop writes how the hooks fare, so that nobody who asks waits for the loop.
final class HookBoard: Sendable {
    private struct Entry: Sendable {
        var standing: HookStanding
        var pausedUntil: SuspendingClock.Instant?
    }

    private let entries = Mutex<[HookState.Key: Entry]>([:])

    /// How each hook fares, by name.
    var standings: [HookStanding] {
        let now = SuspendingClock.now
        return entries.withLock { $0 }.sorted { $0.key < $1.key }.map { _, entry in
            var standing = entry.standing
            standing.pause = entry.pausedUntil.flatMap { $0 > now ? now.duration(to: $0) : nil }
            return standing
        }
    }

    /// Writes down how a hook fares.
    func write(_ state: HookState) {
        let entry = Entry(standing: state.standing, pausedUntil: state.queue.pausedUntil)
        entries.withLock { $0[state.key] = entry }
    }

    /// Forgets a hook.
    func erase(_ key: HookState.Key) { entries.withLock { _ = $0.removeValue(forKey: key) } }
}
