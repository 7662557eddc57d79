internal import NIOCore

/// Runs a task's jobs on an event loop.
///
/// Without it an `async` function that a check calls would start the threads of Swift's shared pool, which wake an idle
/// process up every second for ever after.
final class EventLoopTaskExecutor: TaskExecutor {
    let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
