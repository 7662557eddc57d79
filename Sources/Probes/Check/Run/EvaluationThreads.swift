internal import ForeignText
internal import LinuxSupport
internal import NIOPosix
internal import Synchronization

/// The threads for work whose duration depends on hostile input: evaluating bodies and chains.
///
/// Threads are started on demand. Targets take turns, and no target has more than one thread at a time: a target whose
/// answers are slow to evaluate delays only its own checks. Queued work is dropped, with all that it holds, when its
/// check ends.
final class EvaluationThreads: Sendable {
    private struct Work: Sendable {
        let budget: WorkBudget
        let body: @Sendable () -> Void
    }

    private struct State {
        var pool: NIOThreadPool?
        var isEnded = false
        var running: Set<String> = []
        /// The queued work of each target, in order.
        var waiting: [String: [Work]] = [:]
        /// The targets with queued work, in round-robin order.
        var turns: [String] = []

        /// Returns the first work whose target has no thread, and moves the target to the end of the order.
        mutating func next() -> (target: String, work: Work)? {
            guard let index = turns.firstIndex(where: { !running.contains($0) }) else { return nil }
            let target = turns.remove(at: index)
            guard var queue = waiting.removeValue(forKey: target), !queue.isEmpty else { return nil }
            let work = queue.removeFirst()
            if !queue.isEmpty {
                waiting[target] = queue
                turns.append(target)
            }
            running.insert(target)
            return (target, work)
        }
    }

    /// The number of threads.
    static let count = 2
    /// The number of steps after which work may leave much freed memory behind.
    private static let costly = 128 << 10

    private let state = Mutex(State())

    /// Runs `body` on one of the threads when it is the target's turn, unless the budget is exceeded by then; returns
    /// false after ``end()``.
    @discardableResult
    func submit(for target: String, within budget: WorkBudget, _ body: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isEnded else { return false }
            if state.waiting[target, default: []].isEmpty { state.turns.append(target) }
            state.waiting[target, default: []].append(Work(budget: budget, body: body))
            return true
        }
        if isAccepted { advance() }
        return isAccepted
    }

    /// Cancels a budget, and drops the target's queued work of that budget.
    func cancel(_ budget: WorkBudget, of target: String) {
        budget.cancel()
        state.withLock { state in
            guard var queue = state.waiting.removeValue(forKey: target) else { return }
            queue.removeAll { $0.budget === budget }
            if queue.isEmpty { state.turns.removeAll { $0 == target } } else { state.waiting[target] = queue }
        }
    }

    /// Ends the threads after their current work.
    func end() {
        let pool = state.withLock { state -> NIOThreadPool? in
            let pool = state.pool
            state = State(isEnded: true)
            return pool
        }
        pool?.shutdownGracefully { _ in }
    }

    /// The number of queued pieces of work.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    private func advance() {
        while let (target, work, pool) = begin() {
            pool.submit { [self] poolState in
                if poolState == .active, !work.budget.isOver {
                    work.body()
                    if work.budget.spent > Self.costly { FreedMemory.release() }
                }
                state.withLock { _ = $0.running.remove(target) }
                advance()
            }
        }
    }

    private func begin() -> (target: String, work: Work, pool: NIOThreadPool)? {
        state.withLock { state in
            guard !state.isEnded, state.running.count < Self.count, let (target, work) = state.next() else {
                return nil
            }
            if let pool = state.pool { return (target, work, pool) }
            let pool = NIOThreadPool(numberOfThreads: Self.count)
            pool._start(threadNamePrefix: "evaluation-")
            state.pool = pool
            return (target, work, pool)
        }
    }
}
