internal import CLibNL
internal import Glibc
internal import Synchronization

/// The one thread that polls and reads.
///
/// Reading a socket and asking the kernel block for microseconds at a time, but they block; so they have a thread of
/// their own and never occupy the concurrency runtime's. The thread sleeps in poll(2) without a time-out unless a
/// re-reading is due, so an idle machine is never woken.
final class ListenerThread: Sendable {
    private let state: Mutex<State>
    /// An eventfd that ends poll(2); closed when nobody can write it any more.
    private let wakeDescriptor: Int32

    private struct State {
        var thread: pthread_t?
        var isStopping = false
        /// What the thread is to call between two turns.
        var calls: [@Sendable () -> Void] = []
    }

    /// More than anybody asks for in the time that a turn takes.
    private static let mostCalls = 64

    /// What the thread runs, and what it tells when it ends.
    private final class Job {
        let body: () -> Void
        init(body: @escaping () -> Void) { self.body = body }
    }

    init() throws(NetlinkError) {
        wakeDescriptor = clibnl_open_eventfd()
        guard wakeDescriptor >= 0 else {
            throw NetlinkError(operation: "create the listener's wake-up descriptor", cause: .errno(errno))
        }
        state = Mutex(State())
    }

    deinit { close(wakeDescriptor) }

    /// Starts the thread.
    ///
    /// `body` is called once, on the thread.
    func start(_ body: @escaping () -> Void) throws(NetlinkError) {
        let job = Unmanaged.passRetained(Job(body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                clibnl_name_thread("netlink")
                Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            job.toOpaque()
        )
        guard result == 0 else {
            job.release()
            throw NetlinkError(operation: "start the listener's thread", cause: .errno(result))
        }
        state.withLock { $0.thread = thread }
    }

    /// Asks the thread to end.
    ///
    /// Safe from any thread, any number of times; does not wait.
    func requestStop() {
        state.withLock { $0.isStopping = true }
        clibnl_signal_eventfd(wakeDescriptor)
    }

    /// Has the thread call a closure between two turns; one too many is dropped.
    ///
    /// Safe from any thread.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.calls.count < Self.mostCalls { state.calls.append(body) }
        }
        clibnl_signal_eventfd(wakeDescriptor)
    }

    /// Waits until the thread has ended.
    ///
    /// Must not be called on the thread itself, and only once.
    func join() {
        let thread = state.withLock { state -> pthread_t? in
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Sleeps until `descriptor` is readable, `due` has come, or a stop was asked for.
    ///
    /// A negative descriptor is ignored.
    ///
    /// - Returns: `false` when the thread shall end.
    func wait(for descriptor: Int32, until due: ContinuousClock.Instant?) -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: due))
        if entries[1].revents != 0 { clibnl_reset_eventfd(wakeDescriptor) }
        let (calls, isStopping) = state.withLock { state in
            defer { state.calls = [] }
            return (state.calls, state.isStopping)
        }
        guard !isStopping else { return false }
        for call in calls { call() }
        return true
    }
}
