internal import CLinux
internal import Glibc

/// A thread of its own for what sleeps or may block, with a name for ps(1), top(1) and debuggers.
///
/// Swift's shared threads are few, and once they have run a single job libdispatch wakes the process every second for as
/// long as it lives; a process that sleeps must keep off them.
package struct NamedThread: Sendable {
    /// A body on its way to its thread, which alone takes it.
    private final class Job {
        let name: StaticString
        let body: () -> Void

        init(_ name: StaticString, _ body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private let thread: pthread_t

    /// Starts a thread that is waited for with ``join()``.
    ///
    /// All signals are blocked on it: those of the process are for its other threads.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes count.
    ///   - body: Called once, on the thread, which ends with it.
    /// - Throws: ``SystemError`` when the system has no thread left.
    package init(_ name: StaticString, _ body: @escaping () -> Void) throws(SystemError) {
        let job = Unmanaged.passRetained(Job(name, body))
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
                let job = Unmanaged<Job>.fromOpaque(argument).takeRetainedValue()
                NamedThread.nameCurrent(job.name)
                job.body()
                return nil
            },
            job.toOpaque()
        )
        guard result == 0 else {
            job.release()
            throw SystemError(errno: result)
        }
        self.thread = thread
    }

    /// Starts a thread that nothing waits for; otherwise as ``init(_:_:)``.
    package static func start(_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        pthread_detach(try NamedThread(name, body).thread)
    }

    /// Waits until the thread has ended; called on the thread itself it only gives up waiting.
    ///
    /// To be called once.
    package func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Names the calling thread, where a library has started it; at most 15 bytes count.
    package static func nameCurrent(_ name: StaticString) {
        name.withUTF8Buffer { bytes in
            // Static strings of more than a character end in a zero.
            bytes.withMemoryRebound(to: CChar.self) { if let text = $0.baseAddress { clinux_name_thread(text) } }
        }
    }
}

/// A thread's identity while it lives.
package struct ThreadIdentity: Hashable, Sendable {
    private let number: pthread_t

    /// The thread that asks.
    package static var current: ThreadIdentity { ThreadIdentity(number: pthread_self()) }
}
