internal import Glibc

/// A thread of its own for what sleeps or may block.
///
/// Swift's shared threads are few, and once they have run a single job libdispatch wakes the process every second for as
/// long as it lives; a process that sleeps must keep off them.
public enum DetachedThread {
    /// What a thread is to do, on its way there.
    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Why there is no thread.
    public struct Refusal: Error, Sendable, Hashable {
        /// The system's number (pthread_create(3)).
        public let errno: Int32
    }

    /// Starts a thread that runs `body` and ends with it; nobody waits for it.
    ///
    /// All signals are blocked on it: those of the process are for its other threads.
    ///
    /// - Throws: ``Refusal`` when the system has no thread left.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(Refusal) {
        let job = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
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
        guard result == 0 else {
            job.release()
            throw Refusal(errno: result)
        }
        pthread_detach(thread)
    }
}
