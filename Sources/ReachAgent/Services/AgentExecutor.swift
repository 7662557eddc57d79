internal import Dispatch
internal import Synchronization

/// Runs the agent's tasks on one serial queue instead of the concurrency runtime's shared threads.
///
/// Once the shared pool has run its first job, libdispatch wakes up every second to watch over it, for ever. A serial
/// queue has no such watchman, so that an idle agent sleeps. Tasks here only wait for each other; whatever blocks has a
/// thread of its own.
final class AgentExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "reachagent")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body` and everything below it on an executor of its own, and blocks the calling thread until it has ended.
    static func runAndWait(_ body: @escaping @Sendable () async throws -> Void) throws {
        let finished = DispatchSemaphore(value: 0)
        let outcome = Mutex<(any Error)?>(nil)
        let outcomeBox = OutcomeBox()
        _ = Task(executorPreference: AgentExecutor()) {
            do { try await body() } catch { outcomeBox.store(error) }
            finished.signal()
        }
        finished.wait()
        _ = outcome
        if let error = outcomeBox.error { throw error }
    }
}

/// The error that a task left behind.
private final class OutcomeBox: Sendable {
    private let storage = Mutex<(any Error)?>(nil)
    func store(_ error: any Error) { storage.withLock { $0 = error } }
    var error: (any Error)? { storage.withLock { $0 } }
}
