internal import CheckResults
internal import LinuxSupport
internal import Synchronization

/// Runs blocking lookups on a bounded number of threads.
final class LookupPool: Sendable {
    /// The key of a lookup; equal questions share one lookup.
    struct Question: Sendable, Hashable {
        let name: String
        let family: HostAddress.Family
    }

    typealias Answer = Result<[HostAddress], HostLookupFailure>
    typealias Completion = @Sendable (Answer) -> Void

    /// The maximum number of queued questions.
    static let maximumWaiting = 1024

    private struct Entry {
        var completions: [UInt64: Completion] = [:]
        var isRunning = false
    }

    private struct State {
        var entries: [Question: Entry] = [:]
        var waiting: [Question] = []
        var idle: [LookupThread] = []
        var threads = 0
        var nextTicket: UInt64 = 0
    }

    private enum Placement {
        case shared, queued, refused
        case given(LookupThread)
        case newThread
    }

    private let state = Mutex(State())
    private let maximumThreads: Int
    private let query: SystemResolver.Query

    init(maximumThreads: Int, query: @escaping SystemResolver.Query) {
        self.maximumThreads = maximumThreads
        self.query = query
    }

    /// Hands a question to a thread, or queues it while all threads are busy.
    func submit(_ question: Question, completion: @escaping Completion) -> any HostLookup {
        let (ticket, placement) = state.withLock { state -> (UInt64, Placement) in
            let ticket = state.nextTicket
            state.nextTicket &+= 1
            if state.entries[question] != nil {
                state.entries[question]?.completions[ticket] = completion
                return (ticket, .shared)
            }
            if let thread = state.idle.popLast() {
                state.entries[question] = Entry(completions: [ticket: completion], isRunning: true)
                thread.question = question
                return (ticket, .given(thread))
            }
            if state.threads < maximumThreads {
                state.entries[question] = Entry(completions: [ticket: completion], isRunning: true)
                state.threads += 1
                return (ticket, .newThread)
            }
            guard state.waiting.count < Self.maximumWaiting else { return (ticket, .refused) }
            state.entries[question] = Entry(completions: [ticket: completion])
            state.waiting.append(question)
            return (ticket, .queued)
        }
        switch placement {
        case .shared, .queued: break
        case .given(let thread): thread.wake()
        case .refused:
            completion(
                .failure(HostLookupFailure(.resolverBusy, reason: "\(Self.maximumWaiting) lookups wait already"))
            )
        case .newThread:
            if !LookupThread(question: question).start(serving: self) { threadDidNotStart(question) }
        }
        return LookupTicket(pool: self, question: question, number: ticket)
    }

    func isWaiting(_ question: Question, ticket: UInt64) -> Bool {
        state.withLock { state in
            guard let entry = state.entries[question] else { return false }
            return !entry.isRunning && entry.completions[ticket] != nil
        }
    }

    /// Removes a waiting client; a queued question without clients leaves the queue.
    func abandon(_ question: Question, ticket: UInt64) {
        state.withLock { state in
            guard var entry = state.entries[question] else { return }
            entry.completions[ticket] = nil
            if entry.completions.isEmpty && !entry.isRunning {
                state.entries[question] = nil
                state.waiting.removeAll { $0 == question }
            } else {
                state.entries[question] = entry
            }
        }
    }

    /// The body of a thread: answers questions until it has been idle for a while.
    fileprivate func serve(_ thread: LookupThread) {
        var question = thread.question
        while let current = question {
            let answer = query(current.name, current.family)
            let (entry, next) = state.withLock { state -> (Entry?, Question?) in
                let entry = state.entries.removeValue(forKey: current)
                let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                if let next { state.entries[next]?.isRunning = true } else { state.idle.append(thread) }
                thread.question = next
                return (entry, next)
            }
            for completion in (entry?.completions ?? [:]).values { completion(answer) }
            question = next ?? nextQuestion(for: thread)
        }
    }

    /// Waits for the thread's next question; nil after the idle timeout, when the thread must end.
    private func nextQuestion(for thread: LookupThread) -> Question? {
        while true {
            let isWoken = thread.sleep()
            let (question, isOver) = state.withLock { state -> (Question?, Bool) in
                if let question = thread.question { return (question, false) }
                guard !isWoken, let index = state.idle.firstIndex(where: { $0 === thread }) else { return (nil, false) }
                state.idle.remove(at: index)
                state.threads -= 1
                return (nil, true)
            }
            if isOver { return nil }
            // A question that arrived just as the wait timed out has left one wake-up pending, which ends the next
            // wait early.
            if let question { return question }
        }
    }

    private func threadDidNotStart(_ question: Question) {
        let entry = state.withLock { state in
            state.threads -= 1
            return state.entries.removeValue(forKey: question)
        }
        let failure = HostLookupFailure(.resourcesExhausted, reason: "no thread could be started for the lookup")
        for completion in (entry?.completions ?? [:]).values { completion(.failure(failure)) }
    }
}

/// One client's share of a lookup.
private struct LookupTicket: HostLookup {
    let pool: LookupPool
    let question: LookupPool.Question
    let number: UInt64

    var isWaiting: Bool { pool.isWaiting(question, ticket: number) }
    func abandon() { pool.abandon(question, ticket: number) }
}

/// A thread for blocking lookups, and the semaphore on which it waits between them.
///
/// `@unchecked Sendable`: `question` is accessed only under the pool's lock, and semaphores are made for sharing.
private final class LookupThread: @unchecked Sendable {
    private static let idleTime: Duration = .seconds(10)

    var question: LookupPool.Question?
    private let isWoken = Monitor(false)

    init(question: LookupPool.Question) { self.question = question }

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
