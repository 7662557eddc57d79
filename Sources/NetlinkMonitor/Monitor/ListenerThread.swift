internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// The one thread that polls and reads.
///
/// Reading a socket and querying the kernel block, if only for microseconds, so they run on a thread of their own and
/// never block the threads of the concurrency runtime. This thread sleeps in poll(2) without a timeout unless a lookup
/// is due, so an idle machine is never woken.
final class ListenerThread: Sendable {
    private let state = Mutex(State())
    /// The thread until it has been waited for.
    ///
    /// The lock is held meanwhile, so that every other caller waits too.
    private let thread = Mutex<NamedThread?>(nil)
    /// An eventfd that ends poll(2); closed after its last use.
    private let wakeup: Wakeup

    private struct State {
        var isStopping = false
        /// The closures to call between two turns.
        var calls: [@Sendable () -> Void] = []
    }

    /// The maximum number of closures, more than are ever requested during a turn.
    private static let maximumCalls = 64

    init() throws(NetlinkError) {
        do throws(SystemError) {
            wakeup = try Wakeup()
        } catch {
            throw NetlinkError(operation: "create the listener's wake-up descriptor", cause: .errno(error.errno))
        }
    }

    /// Starts the thread.
    ///
    /// `body` is called once, on the thread.
    func start(_ body: @escaping () -> Void) throws(NetlinkError) {
        do throws(SystemError) {
            let started = try NamedThread("netlink", body)
            thread.withLock { $0 = started }
        } catch {
            throw NetlinkError(operation: "start the listener's thread", cause: .errno(error.errno))
        }
    }

    /// Requests that the thread stop.
    ///
    /// Safe to call from any thread, any number of times; does not wait.
    func requestStop() {
        state.withLock { $0.isStopping = true }
        wakeup.signal()
    }

    /// Calls a closure on the thread between two turns, or drops it if too many are queued.
    ///
    /// Safe to call from any thread.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.calls.count < Self.maximumCalls { state.calls.append(body) }
        }
        wakeup.signal()
    }

    /// Waits until the thread has ended.
    ///
    /// Safe to call any number of times, and at the same time, but not on the thread itself: there it does not wait.
    func join() {
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Sleeps until `descriptor` is readable, until `due`, or until a stop is requested.
    ///
    /// A negative descriptor is ignored.
    ///
    /// - Returns: `false` when the thread must end.
    func wait(for descriptor: Int32, until due: ContinuousClock.Instant?) -> Bool {
        if wakeup.sleep(untilReady: descriptor, for: POLLIN, deadline: due) == .woken { wakeup.reset() }
        let (calls, isStopping) = state.withLock { state in
            defer { state.calls = [] }
            return (state.calls, state.isStopping)
        }
        guard !isStopping else { return false }
        for call in calls { call() }
        return true
    }
}
