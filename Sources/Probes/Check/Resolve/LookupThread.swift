internal import LinuxSupport

/// A thread for blocking lookups, and the semaphore on which it waits between them.
///
/// `@unchecked Sendable`: `question` is accessed only under the pool's lock, and semaphores are made for sharing.
final class LookupThread: @unchecked Sendable {
    private static let idleTime: Duration = .seconds(10)

    var question: LookupPool.Question?
    private let isWoken = Monitor(false)

    init(question: LookupPool.Question) { self.question = question }

    func wake() {
        isWoken.withLock { $0 = true }
        isWoken.wakeAll()
    }

    /// Waits for ``wake()``; false after the idle timeout.
    func sleep() -> Bool {
        let end = ContinuousClock.now + Self.idleTime
        return isWoken.wait { isWoken in
            if isWoken {
                isWoken = false
                return .done(true)
            }
            let left = ContinuousClock.now.duration(to: end)
            return left > .zero ? .sleep(left) : .done(false)
        }
    }

    /// Starts the thread; false when the system cannot create one.
    func start(serving pool: LookupPool) -> Bool {
        do throws(SystemError) {
            try NamedThread.start("lookup") { pool.serve(self) }
            return true
        } catch {
            return false
        }
    }
}
