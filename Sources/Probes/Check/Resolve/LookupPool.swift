internal import CheckResults
internal import LinuxSupport
internal import Synchronization

/// Runs blocking lookups on a bounded number of threads.
final class LookupPool: Sendable {
    private struct State {
        var queue: LookupQueue
        var idle: [LookupThread] = []
    }

    private enum Placement {
        case queued, refused
        case given(LookupThread)
        case newThread(LookupQueue.Job)
    }

    private let state: Mutex<State>
    private let query: SystemResolver.Query

    init(maximumThreads: Int, query: @escaping SystemResolver.Query) {
        state = Mutex(State(queue: LookupQueue(maximumRunning: maximumThreads)))
        self.query = query
    }

    /// Hands a question to a thread, or queues it while no thread is free for it.
    func submit(_ question: LookupQueue.Question, completion: @escaping LookupQueue.Completion) -> any HostLookup {
        let (ticket, placement) = state.withLock { state -> (LookupQueue.Ticket?, Placement) in
            guard let (ticket, job) = state.queue.add(question, completion: completion) else { return (nil, .refused) }
            guard let job else { return (ticket, .queued) }
            if let thread = state.idle.popLast() {
                thread.job = job
                return (ticket, .given(thread))
            }
            return (ticket, .newThread(job))
        }
        switch placement {
        case .queued: break
        case .given(let thread): thread.wake()
        case .refused:
            let reason = "\(LookupQueue.maximumWaiting) lookups wait already"
            completion(.failure(HostLookupFailure(.resolverBusy, reason: reason)))
        case .newThread(let job):
            if !LookupThread(job: job).start(serving: self) { threadDidNotStart(job) }
        }
        return PooledLookup(pool: self, ticket: ticket)
    }

    /// Ends the sharing of the running lookups; see ``HostResolver/renewLookups()``.
    func renew() { state.withLock { $0.queue.supersedeAll() } }

    fileprivate func isWaiting(_ ticket: LookupQueue.Ticket) -> Bool { state.withLock { $0.queue.isWaiting(ticket) } }

    fileprivate func abandon(_ ticket: LookupQueue.Ticket) { state.withLock { $0.queue.abandon(ticket) } }

    /// The body of a thread: answers questions until it has been idle for a while.
    fileprivate func serve(_ thread: LookupThread) {
        var job = thread.job
        while let current = job {
            let answer = query(current.question.name, current.question.family)
            let (completions, next) = state.withLock { state -> ([LookupQueue.Completion], LookupQueue.Job?) in
                let completions = state.queue.remove(current)
                let next = state.queue.takeNext()
                if next == nil { state.idle.append(thread) }
                thread.job = next
                return (completions, next)
            }
            for completion in completions { completion(answer) }
            job = next ?? nextJob(for: thread)
        }
    }

    /// Waits for the thread's next question; nil after the idle timeout, when the thread must end.
    private func nextJob(for thread: LookupThread) -> LookupQueue.Job? {
        while true {
            let isWoken = thread.sleep()
            let (job, isOver) = state.withLock { state -> (LookupQueue.Job?, Bool) in
                if let job = thread.job { return (job, false) }
                guard !isWoken, let index = state.idle.firstIndex(where: { $0 === thread }) else { return (nil, false) }
                state.idle.remove(at: index)
                return (nil, true)
            }
            if isOver { return nil }
            // A question that arrived just as the wait timed out has left one wake-up pending, which ends the next
            // wait early.
            if let job { return job }
        }
    }

    private func threadDidNotStart(_ job: LookupQueue.Job) {
        let completions = state.withLock { $0.queue.remove(job) }
        let failure = HostLookupFailure(.resourcesExhausted, reason: "no thread could be started for the lookup")
        for completion in completions { completion(.failure(failure)) }
    }
}

/// One client's share of a lookup.
private struct PooledLookup: HostLookup {
    let pool: LookupPool
    /// Nil for a refused lookup.
    let ticket: LookupQueue.Ticket?

    var isWaiting: Bool { ticket.map(pool.isWaiting) ?? false }
    func abandon() { ticket.map(pool.abandon) }
}

/// A thread for blocking lookups, and the semaphore on which it waits between them.
///
/// `@unchecked Sendable`: `job` is accessed only under the pool's lock, and semaphores are made for sharing.
private final class LookupThread: @unchecked Sendable {
    private static let idleTime: Duration = .seconds(10)

    var job: LookupQueue.Job?
    private let isWoken = Monitor(false)

    init(job: LookupQueue.Job) { self.job = job }

    func wake() {
        isWoken.withLock { $0 = true }
        isWoken.wakeAll()
    }

    /// Waits for ``wake()``; false after the idle timeout.
    func sleep() -> Bool {
        let end = ContinuousClock.now + Self.idleTime
        return isWoken.wait { isWoken in
            if isWoken {
                isWoken = false
                return .done(true)
            }
            let left = ContinuousClock.now.duration(to: end)
            return left > .zero ? .sleep(left) : .done(false)
        }
    }

    /// Starts the thread; false when the system cannot create one.
    func start(serving pool: LookupPool) -> Bool {
        do throws(SystemError) {
            try NamedThread.start("lookup") { pool.serve(self) }
            return true
        } catch {
            return false
        }
    }
}
