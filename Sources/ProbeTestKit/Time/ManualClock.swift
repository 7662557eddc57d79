internal import Synchronization

/// A clock that stands still until a test advances it.
///
/// Who sleeps is woken when the clock is advanced to its deadline or past it: those with earlier deadlines first, and of
/// equal deadlines those that slept first. ``sleepers(atLeast:)`` lets a test wait until the code under test sleeps.
public final class ManualClock: Clock, Sendable {
    /// A moment of a manual clock, as the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// The moment at `offset` from the clock's beginning.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The moment that is later by `duration`.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How much later `other` is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether the left moment comes first.
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
        /// In the order in which they wake.
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    /// A clock at its beginning.
    public init() {}

    /// The moment at which the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: a sleeper wakes exactly at its deadline.
    public var minimumResolution: Duration { .zero }

    /// How many tasks sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// When the next sleeper wakes; nil when nobody sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.first?.deadline } }

    /// Moves the clock forward and wakes whoever is due, in order.
    public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

    /// Moves the clock forward to `instant`, or leaves it when that is in the past, and wakes whoever is due, in order.
    public func advance(to instant: Instant) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = max(state.now, instant)
            let count = state.sleepers.prefix { $0.deadline <= state.now }.count
            defer { state.sleepers.removeFirst(count) }
            return Array(state.sleepers.prefix(count))
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock is advanced to `deadline`; the tolerance plays no part.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Waits until at least `count` tasks sleep.
    public func sleepers(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isDone { continuation.resume() }
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
            let count = state.sleepers.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return .asleep(state.watchers.filter { $0.count <= count })
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
            // Not asleep yet, or awake already: identifiers are never used again, so a late note does no harm.
            state.cancelled.insert(id)
            return nil
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
