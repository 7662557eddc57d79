#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A thread for lookups that block, and the semaphore on which it sleeps between them.
///
/// Sendable by hand: `question` is only read and written under the pool's lock, and the semaphore is made for sharing.
final class LookupThread: @unchecked Sendable {
    private static let idleSeconds = 10

    var question: LookupPool.Question?
    private let semaphore: UnsafeMutablePointer<sem_t>

    init(question: LookupPool.Question) {
        self.question = question
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func wake() { sem_post(semaphore) }

    /// Sleeps until ``wake()``; false after a while without one.
    func sleep() -> Bool {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { times in
            guard let end = times.baseAddress, clock_gettime(CLOCK_REALTIME, end) == 0 else { return true }
            // The seconds are the first member; see HostAddress(socketAddress:) for why it is not named.
            UnsafeMutableRawPointer(end).assumingMemoryBound(to: time_t.self).pointee += Self.idleSeconds
            while sem_timedwait(semaphore, end) != 0 {
                if errno != EINTR { return false }
            }
            return true
        }
    }

    /// Starts the thread; false when the system has none left.
    func start(serving pool: LookupPool) -> Bool {
        final class Work {
            let thread: LookupThread
            let pool: LookupPool
            init(thread: LookupThread, pool: LookupPool) {
                self.thread = thread
                self.pool = pool
            }
        }
        let work = Unmanaged.passRetained(Work(thread: self, pool: pool))
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
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.pool.serve(work.thread)
                return nil
            },
            work.toOpaque()
        )
        guard status == 0 else {
            work.release()
            return false
        }
        pthread_detach(identifier)
        return true
    }
}
