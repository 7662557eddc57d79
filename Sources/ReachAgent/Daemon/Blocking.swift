internal import Dispatch
internal import Synchronization

/// Runs asynchronous work of a command on the thread that waits for it.
///
/// The command line itself is synchronous: an asynchronous `main` would run on the concurrency runtime's shared threads,
/// after which libdispatch wakes the process once a second for as long as it lives, and the agent must not wake up.
final class Blocking<Output: Sendable>: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var output: Output?
    }

    private let state = Mutex(State())
    private let hasChanged = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs `body` to completion on the calling thread.
    static func run(_ body: @escaping @Sendable () async -> Output) -> Output {
        let executor = Blocking()
        Task(executorPreference: executor) {
            let output = await body()
            executor.state.withLock { $0.output = output }
            executor.hasChanged.signal()
        }
        while true {
            executor.hasChanged.wait()
            let (job, output) = executor.state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.output)
            }
            job?.runSynchronously(on: executor.asUnownedTaskExecutor())
            if let output { return output }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        hasChanged.signal()
    }
}
