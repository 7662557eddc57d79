#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A thread of its own for what sleeps; the concurrency runtime's threads are never used for it.
enum ScheduleThread {
    /// A thread's identity while it lives; a number, because the C type is a pointer with some libraries.
    struct Identity: Hashable, Sendable {
        let number: UInt
    }

    /// The thread that asks.
    static var current: Identity {
        #if canImport(Musl)
            Identity(number: UInt(bitPattern: pthread_self()))
        #else
            Identity(number: UInt(pthread_self()))
        #endif
    }

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends with it; false when the system has none left.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let job = Unmanaged.passRetained(Job(body))
        var identifier = pthread_t()
        let status = pthread_create(
            &identifier,
            nil,
            { argument in
                guard let argument else { return nil }
                // The process's signals are for its other threads.
                withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { signals in
                    guard let all = signals.baseAddress else { return }
                    sigfillset(all)
                    pthread_sigmask(SIG_SETMASK, all, nil)
                }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            job.toOpaque()
        )
        guard status == 0 else {
            job.release()
            return false
        }
        pthread_detach(identifier)
        return true
    }
}
