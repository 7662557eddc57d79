internal import Dispatch

/// Runs one script on a queue of its own, which is given a thread when it needs one.
///
/// On Swift's shared threads, which are few, scripts would wait behind whatever the tests compute, and a client's deadline
/// would pass meanwhile. On the server's event loop a script without an end would keep the loop from its sockets. A task
/// does not keep its executor alive: whoever makes a task with one refers to it until the task has ended.
final class ScriptExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "reachagent.script")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Begins a task that runs here.
    static func begin(_ body: sending @escaping () async -> Void) -> Task<Void, Never> {
        let executor = ScriptExecutor()
        return Task(executorPreference: executor) {
            await body()
            withExtendedLifetime(executor) {}
        }
    }
}
