internal import Synchronization

/// A clock that stands still until a test advances it.
///
/// Sleepers are woken when the clock is advanced to their deadline or past it: those with earlier deadlines first, and
/// of equal deadlines in the order of sleeping. ``sleepers(atLeast:)`` lets a test wait until the code under test
/// sleeps.
public final class ManualClock: Clock, Sendable {
    /// An instant of a manual clock, as the time since its creation.
    public struct Instant: InstantProtocol {
        /// The time since the creation of the clock.
        public let offset: Duration

        /// Creates an instant.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// Returns a later instant.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time until `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether the left instant is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        var nextID: UInt64 = 0
        /// The sleepers in the order of waking.
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var watchers: [UInt64: Watcher] = [:]

        /// Returns a new number, for a sleeper or a watcher.
        mutating func newID() -> UInt64 {
            nextID += 1
            return nextID
        }
    }

    private let state = Mutex(State())

    /// Creates a clock at zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: a sleeper wakes exactly at its deadline.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The deadline of the next sleeper; nil without sleepers.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.first?.deadline } }

    /// Advances the clock and wakes due sleepers, in order.
    ///
    /// Calls from several tasks add up.
    public func advance(by duration: Duration) { advance { $0.advanced(by: duration) } }

    /// Advances the clock to `instant`, unless that is in the past, and wakes due sleepers, in order.
    public func advance(to instant: Instant) { advance { _ in instant } }

    private func advance(_ next: (Instant) -> Instant) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = max(state.now, next(state.now))
            let count = state.sleepers.prefix { $0.deadline <= state.now }.count
            defer { state.sleepers.removeFirst(count) }
            return Array(state.sleepers.prefix(count))
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock is advanced to `deadline`; the tolerance is ignored.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { $0.newID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Waits until at least `count` tasks sleep, or the task is cancelled.
    public func sleepers(atLeast count: Int) async {
        let id = state.withLock { $0.newID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if Task.isCancelled || state.sleepers.count >= count { return true }
                    state.watchers[id] = Watcher(count: count, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    private enum Entrance {
        case asleep([Watcher])
        case due
        case cancelled
    }

    private func enter(_ sleeper: Sleeper) {
        let entrance = state.withLock { state -> Entrance in
            if state.cancelled.remove(sleeper.id) != nil { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            let place = state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: place)
            let satisfied = state.watchers.filter { $0.value.count <= state.sleepers.count }
            for id in satisfied.keys { state.watchers[id] = nil }
            return .asleep(Array(satisfied.values))
        }
        switch entrance {
        case .asleep(let watchers):
            for watcher in watchers { watcher.continuation.resume() }
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            if let index = state.sleepers.firstIndex(where: { $0.id == id }) { return state.sleepers.remove(at: index) }
            // Not asleep yet, or awake already: identifiers are never reused, so a late entry is harmless.
            state.cancelled.insert(id)
            return nil
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
