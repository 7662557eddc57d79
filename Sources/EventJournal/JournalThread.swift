internal import Glibc

/// A thread of its own for what may block; the concurrency runtime's threads are never used for it.
enum JournalThread {
    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends with it; nobody waits for it.
    static func start(_ body: @escaping @Sendable () -> Void) throws(JournalError) {
        let job = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            job.toOpaque()
        )
        guard result == 0 else {
            job.release()
            throw JournalError(operation: "start a thread for", path: "the journal", cause: .errno(result))
        }
        pthread_detach(thread)
    }
}
