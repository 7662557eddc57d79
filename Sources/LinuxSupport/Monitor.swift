internal import Glibc

/// A value behind a lock, and a condition on which threads wait for its changes.
///
/// `Mutex` has no condition to wait on. Timeouts use the monotonic clock, which is never set.
///
/// `@unchecked Sendable`: `value` is accessed only with the lock held; the lock and the condition may be shared.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    /// Creates a monitor with an initial value.
    package init(_ value: Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        condition = .allocate(capacity: 1)
        withUnsafeTemporaryAllocation(of: pthread_condattr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress else { return }
            pthread_condattr_init(attributes)
            pthread_condattr_setclock(attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, attributes)
            pthread_condattr_destroy(attributes)
        }
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Calls `body` with exclusive access to the value; `body` must not call the monitor.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&value)
    }

    /// Wakes every thread that waits in ``wait(_:)``.
    package func wakeAll() { pthread_cond_broadcast(condition) }

    /// Calls `body` with the lock held, repeatedly, until it returns a result.
    ///
    /// Between two calls the thread waits for ``wakeAll()``, at most for the time that `body` returned.
    package func wait<Result>(_ body: (inout Value) -> Wait<Result>) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            switch body(&value) {
            case .done(let result): return result
            case .sleep(.none): pthread_cond_wait(condition, lock)
            case .sleep(.some(let duration)): sleep(for: duration)
            }
        }
    }

    private func sleep(for duration: Duration) {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { times in
            guard let end = times.baseAddress, clock_gettime(CLOCK_MONOTONIC, end) == 0 else { return }
            let (seconds, attoseconds) = max(.zero, min(duration, .seconds(366 * 86_400))).components
            let nanoseconds = end.pointee.tv_nsec + Int(attoseconds / 1_000_000_000)
            end.pointee.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
            end.pointee.tv_nsec = nanoseconds % 1_000_000_000
            pthread_cond_timedwait(condition, lock, end)
        }
    }
}

/// The next action of a waiting thread.
package enum Wait<Result> {
    /// Return this result.
    case done(Result)
    /// Wait, at most for this time; nil for no limit.
    case sleep(Duration?)
}
