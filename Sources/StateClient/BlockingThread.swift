internal import Glibc

/// Runs work that sleeps on a thread of its own, away from Swift's few shared threads.
enum BlockingThread {
    /// The work, on its way to the thread.
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends.
    static func start(_ body: @escaping @Sendable () -> Void) throws(ClientError) {
        let work = Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            &attributes,
            { argument in
                // Signals are for the threads of the program that uses this library.
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        guard result == 0 else {
            work.release()
            throw .system(operation: "start a thread", errno: result)
        }
    }
}
