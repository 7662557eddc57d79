internal import ForeignText
internal import LinuxSupport

/// Threads for the work of checks that may take long: evaluating hostile bodies and chains, for example.
///
/// Threads are started on demand. Targets take turns, and no target has more than one thread at a time: a target whose
/// work is slow delays only its own checks. Queued work is dropped, with all that it holds, when its check ends.
final class TargetThreads: Sendable {
    typealias StartThread =
        @Sendable (_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> Void

    private struct Work: Sendable {
        let budget: WorkBudget
        let body: @Sendable () -> Void
    }

    private struct State {
        var isEnded = false
        var threads = 0
        var running: Set<String> = []
        /// The queued work of each target, in order.
        var waiting: [String: [Work]] = [:]
        /// The targets with queued work, in round-robin order.
        var turns: [String] = []

        /// Returns whether work of the target could start now if there were another thread.
        func lacksThread(for target: String) -> Bool {
            guard !running.contains(target), waiting[target] == nil else { return false }
            return threads - running.count <= turns.count { !running.contains($0) }
        }

        mutating func add(_ work: Work, of target: String) {
            if waiting[target] == nil { turns.append(target) }
            waiting[target, default: []].append(work)
        }

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

    /// The number of steps after which work may leave much freed memory behind.
    private static let costly = 128 << 10

    private let name: StaticString
    private let maximumThreads: Int
    private let startThread: StartThread
    private let release: @Sendable () -> Void
    private let state = Monitor(State())

    /// Creates no thread.
    ///
    /// - Parameters:
    ///   - name: The name of the threads.
    ///   - maximumThreads: The maximum number of threads.
    ///   - startThread: Starts a thread.
    ///   - release: Releases the freed memory that costly work leaves behind.
    init(
        _ name: StaticString,
        maximumThreads: Int,
        startThread: @escaping StartThread = { name, body throws(SystemError) in try NamedThread.start(name, body) },
        release: @escaping @Sendable () -> Void = { FreedMemory.release() }
    ) {
        self.name = name
        self.maximumThreads = maximumThreads
        self.startThread = startThread
        self.release = release
    }

    /// Runs `body` on one of the threads when it is the target's turn, unless the budget is exceeded by then; returns
    /// false after ``end()``.
    ///
    /// - Throws: ``SystemError`` if the first thread cannot be started; without a further one the work waits longer.
    @discardableResult
    func submit(
        for target: String,
        within budget: WorkBudget,
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Bool {
        let result = state.withLock { state -> Result<Bool, SystemError> in
            guard !state.isEnded else { return .success(false) }
            if state.threads < maximumThreads, state.lacksThread(for: target) {
                do throws(SystemError) {
                    try startThread(name) { [self] in serve() }
                    state.threads += 1
                } catch {
                    if state.threads == 0 { return .failure(error) }
                }
            }
            state.add(Work(budget: budget, body: body), of: target)
            return .success(true)
        }
        state.wakeAll()
        return try result.get()
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
        state.withLock { $0 = State(isEnded: true) }
        state.wakeAll()
    }

    /// The number of queued pieces of work.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// The body of a thread.
    private func serve() {
        while let (target, work) = next() {
            if !work.budget.isOver {
                let before = work.budget.spent
                work.body()
                if work.budget.spent - before > Self.costly { release() }
            }
            state.withLock { _ = $0.running.remove(target) }
        }
    }

    /// Waits for work; nil after ``end()``.
    private func next() -> (target: String, work: Work)? {
        state.wait { state in
            if state.isEnded { return .done(nil) }
            return state.next().map { .done($0) } ?? .sleep(nil)
        }
    }
}
