public import NIOCore

/// Runs a task's jobs on an event loop.
///
/// Without it an `async` function would start the threads of Swift's shared pool, which then wake an idle process up
/// every second forever. A task does not retain its executor: the code that creates tasks with one must.
public final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// Creates an executor on a loop.
    public init(_ loop: any EventLoop) { self.loop = loop }

    /// Runs a job in a later turn of the loop.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
