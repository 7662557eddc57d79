internal import DetachedThread
internal import Glibc

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
        do throws(DetachedThread.Refusal) {
            try DetachedThread.start { pool.serve(self) }
            return true
        } catch {
            return false
        }
    }
}
