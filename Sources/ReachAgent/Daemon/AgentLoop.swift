internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import Synchronization

/// The loop of the agent's main thread: when it ends, so does the agent.
///
/// It waits for signals, for the moments at which something settles, for a journal that hangs, for the machine to
/// resume from suspend, and for a request to end. It sleeps in poll(2), without a time-out while nothing waits to
/// settle. Nothing here runs on Swift's shared threads: once they have run a single job, libdispatch wakes the process
/// every second for ever.
final class AgentLoop: Sendable {
    /// The maximum time, in milliseconds, for which the journal may keep events from the subscribers without recording
    /// any.
    private static let recorderPatience: Int = 1000

    private let signals: SignalDescriptor
    private let wakeup: Wakeup
    private let timer: TimerDescriptor
    private let suspendWatch: SuspendWatch
    /// `true` if there was a terminal to begin with.
    private let hadTerminal = isatty(STDIN_FILENO) == 1
    private let stopReason = Mutex<String?>(nil)
    private let work = Mutex<Work?>(nil)

    /// The loop's work that is due at a time.
    struct Work: Sendable {
        /// Publishes what has settled, after a suspend that the machine may have come from, and gives the moment at
        /// which to call again.
        var tick: @Sendable () -> ContinuousClock.Instant?
        /// Releases events that the journal holds back from subscribers.
        var bypassRecorder: @Sendable () -> Void
        /// Handles a request to reload the configuration (SIGHUP).
        var reload: @Sendable () -> Void
        /// Handles a request for the state in the log (SIGUSR1).
        var dump: @Sendable () -> Void
        /// Reaps what hooks, or others for process 1, have left behind (SIGCHLD).
        var reap: @Sendable () -> Void
    }

    /// Blocks SIGHUP and SIGUSR1 until the loop takes them: one that comes while the agent starts then ends
    /// no process.
    ///
    /// To be called before anything else, in any case before any thread is started.
    static func holdRequests() {
        SignalDescriptor.hold(SIGHUP)
        SignalDescriptor.hold(SIGUSR1)
    }

    /// Takes SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGCHLD over; to be called before any thread is started.
    ///
    /// - Parameter suspendWatch: Wakes the loop when the machine resumes.
    init(suspendWatch: SuspendWatch) throws(NetlinkError) {
        self.suspendWatch = suspendWatch
        do throws(SystemError) {
            signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD)
            wakeup = try Wakeup()
            timer = try TimerDescriptor()
        } catch {
            throw NetlinkError(operation: "create the agent's descriptors", cause: .errno(error.errno))
        }
    }

    /// The reason of the agent's end; `nil` before it.
    var reason: String? { stopReason.withLock { $0 } }

    /// Sets the work; must be called before ``run()``.
    func setWork(_ work: Work) { self.work.withLock { $0 = work } }

    /// Makes the loop ask for the next moment again.
    ///
    /// Safe from any thread.
    func wake() { wakeup.signal() }

    /// Starts anew or stops the time that the journal has for what it keeps from the subscribers.
    ///
    /// Safe from any thread, and quick.
    func timeRecorder(_ isHolding: Bool) {
        timer.set(milliseconds: isHolding ? Self.recorderPatience : 0)
    }

    /// Ends the loop; only the first reason counts.
    ///
    /// Safe from any thread.
    func stop(because reason: String) {
        stopReason.withLock { $0 = $0 ?? reason }
        wake()
    }

    /// Loops on the calling thread until a signal comes or ``stop(because:)`` is called.
    func run() {
        loop()
        // A second signal means that an orderly end would take too long. A late SIGHUP or SIGUSR1 is kept from
        // the process for good: there is nothing left to reload or to tell, and it must not cut the end short.
        SignalDescriptor.giveBack(SIGINT, SIGTERM)
    }

    private func loop() {
        let work = work.withLock { $0 }
        while reason == nil {
            let descriptors = [signals.descriptor, wakeup.descriptor, timer.descriptor, suspendWatch.descriptor]
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: work?.tick()))
            if entries[1].revents != 0 { wakeup.reset() }
            if timer.takeExpiration() { work?.bypassRecorder() }
            switch signals.next() {
            case SIGINT: stop(because: "SIGINT")
            case SIGTERM: stop(because: "SIGTERM")
            case SIGHUP where hadTerminal && isatty(STDIN_FILENO) != 1: stop(because: "the terminal was closed")
            case SIGHUP: work?.reload()
            case SIGUSR1: work?.dump()
            case SIGCHLD: work?.reap()
            default: break
            }
        }
    }
}
