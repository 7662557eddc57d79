internal import Glibc

/// A thread of its own for something that may take its time; the concurrency runtime's threads are never used for it.
enum OneShotThread {
    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends with it; nobody waits for it.
    ///
    /// - Returns: Whether there was a thread to be had.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
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
            return false
        }
        pthread_detach(thread)
        return true
    }
}
