extension Monitor {
    /// Waits until a condition holds; `false` on timeout.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait; nil for no limit.
    ///   - isMet: Returns whether the condition holds. Called with the lock held, at first and after each ``wakeAll()``; it
    ///     may change the value, and must not call the monitor.
    package func wait(within limit: Duration?, until isMet: (inout Value) -> Bool) -> Bool {
        let end = limit.map { ContinuousClock.now + $0 }
        return wait { value -> Wait<Bool> in
            if isMet(&value) { return .done(true) }
            guard let end else { return .sleep(nil) }
            let left = ContinuousClock.now.duration(to: end)
            return left > .zero ? .sleep(left) : .done(false)
        }
    }
}

/// A signal between threads.
///
/// Unlike that of `DispatchSemaphore`, a timeout does not grow when the wall clock is set back: libdispatch waits until a
/// moment of that clock (sem_timedwait(3)).
extension Monitor where Value == Bool {
    /// Sets the signal, and wakes the threads that wait for it.
    package func signal() {
        withLock { $0 = true }
        wakeAll()
    }

    /// Waits until the signal is set, and leaves it set; `false` on timeout.
    ///
    /// - Parameter limit: The maximum time to wait; nil for no limit.
    @discardableResult
    package func waitForSignal(within limit: Duration? = nil) -> Bool { wait(within: limit) { $0 } }

    /// Waits until the signal is set, and resets it; `false` on timeout.
    ///
    /// - Parameter limit: The maximum time to wait; nil for no limit.
    @discardableResult
    package func takeSignal(within limit: Duration? = nil) -> Bool {
        wait(within: limit) { isSet in
            defer { isSet = false }
            return isSet
        }
    }
}
