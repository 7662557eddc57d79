internal import Dispatch

/// Runs one script on a queue of its own, which gets a thread on demand.
///
/// On Swift's shared threads, which are few, scripts would wait behind the computations of tests until a client's
/// deadline has passed. On the server's event loop an endless script would block the loop's sockets. A task does not
/// retain its executor: the code that creates a task with one must refer to it until the task has ended.
final class ScriptExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "reachagent.script")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Starts a task that runs here.
    static func begin(_ body: sending @escaping () async -> Void) -> Task<Void, Never> {
        let executor = ScriptExecutor()
        return Task(executorPreference: executor) {
            await body()
            withExtendedLifetime(executor) {}
        }
    }
}
