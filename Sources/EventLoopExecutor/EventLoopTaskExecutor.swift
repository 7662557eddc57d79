public import NIOCore

/// Runs a task's jobs on an event loop.
///
/// Without it an `async` function that the agent calls would start the threads of Swift's shared pool, which wake an idle
/// process up every second for ever after. A task does not keep its executor alive: whoever makes tasks with one keeps it.
public final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// An executor on a loop.
    public init(_ loop: any EventLoop) { self.loop = loop }

    /// Runs a job in one of the loop's next turns.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
