internal import CLinux
internal import Glibc

/// A dedicated thread for work that sleeps or may block, with a name for ps(1), top(1) and debuggers.
///
/// Swift's shared threads are few, and once they have run a single job, libdispatch wakes the process every second for
/// the rest of its life; a process that must stay asleep avoids them.
package struct NamedThread: Sendable {
    /// The name and the body of a thread, which only the new thread uses.
    private final class Job {
        let name: StaticString
        let body: () -> Void

        init(_ name: StaticString, _ body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private let thread: pthread_t

    /// Starts a thread that must be joined with ``join()``.
    ///
    /// All signals are blocked on it: the process's other threads handle them.
    ///
    /// - Parameters:
    ///   - name: The name, of which the first 15 bytes are used.
    ///   - body: Called once, on the thread, which ends when it returns.
    /// - Throws: ``SystemError`` if the system cannot create a thread.
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

    /// Starts a detached thread; otherwise like ``init(_:_:)``.
    package static func start(_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        pthread_detach(try NamedThread(name, body).thread)
    }

    /// Waits until the thread has ended, or detaches it if called on the thread itself.
    ///
    /// Must be called exactly once.
    package func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Names the calling thread, if a library has started it; the first 15 bytes are used.
    package static func nameCurrent(_ name: StaticString) {
        name.withUTF8Buffer { bytes in
            // Static strings of more than one character are null-terminated.
            bytes.withMemoryRebound(to: CChar.self) { if let text = $0.baseAddress { clinux_name_thread(text) } }
        }
    }
}

/// A thread's identity while it lives.
package struct ThreadIdentity: Hashable, Sendable {
    private let number: pthread_t

    /// The calling thread.
    package static var current: ThreadIdentity { ThreadIdentity(number: pthread_self()) }
}
