internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import Synchronization

/// The loop of the agent's main thread: when it ends, so does the agent.
///
/// It waits for signals, for the times at which something settles, for a journal that hangs, for the machine to resume
/// from suspend, and for a request to stop. It sleeps in poll(2), without a timeout while nothing waits to settle.
/// Nothing here runs on Swift's shared threads: once they have run a single job, libdispatch wakes the process every
/// second forever.
final class AgentLoop: Sendable {
    /// The maximum time, in milliseconds, for which the journal may keep events from the subscribers without recording
    /// any.
    private static let recorderPatience: Int = 1000

    private let signals: SignalDescriptor
    private let startSignals: StartSignals
    private let wakeup: Wakeup
    private let timer: TimerDescriptor
    private let suspendWatch: SuspendWatch
    /// `true` if the process had a terminal when it started.
    private let hadTerminal = isatty(STDIN_FILENO) == 1
    private let stopReason = Mutex<(text: String, failure: NetlinkError?)?>(nil)
    private let work = Mutex<Work?>(nil)

    /// The loop's work that is due at a time.
    struct Work: Sendable {
        /// Publishes what has settled, with suspends taken into account, and returns the time of the next call.
        var tick: @Sendable () -> ContinuousClock.Instant?
        /// Releases events that the journal holds back from subscribers.
        var bypassRecorder: @Sendable () -> Void
        /// Handles a request to reload the configuration (SIGHUP).
        var reload: @Sendable () -> Void
        /// Handles a request for the state in the log (SIGUSR1).
        var dump: @Sendable () -> Void
        /// Reaps the orphaned children of hooks, or all orphans if this is process 1 (SIGCHLD).
        var reap: @Sendable () -> Void
    }

    /// Blocks SIGHUP and SIGUSR1 until the loop handles them, so that neither kills a process that is still starting.
    ///
    /// Must be called before anything else, and in any case before any thread is started.
    static func holdRequests() {
        SignalDescriptor.hold(SIGHUP)
        SignalDescriptor.hold(SIGUSR1)
    }

    /// Takes over SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGCHLD; must be called before any thread is started.
    ///
    /// - Parameter suspendWatch: Wakes the loop when the machine resumes.
    init(suspendWatch: SuspendWatch) throws(SystemError) {
        self.suspendWatch = suspendWatch
        signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD)
        startSignals = try StartSignals()
        wakeup = try Wakeup()
        timer = try TimerDescriptor()
    }

    /// The reason that the agent stops; `nil` while it runs.
    var reason: String? { stopReason.withLock { $0?.text } }

    /// The error that stops the agent; `nil` while it runs, and if it stops for another reason.
    var failure: NetlinkError? { stopReason.withLock { $0?.failure } }

    /// Sets the work; must be called before ``run()``.
    func setWork(_ work: Work) { self.work.withLock { $0 = work } }

    /// Makes the loop query the next deadline again.
    ///
    /// Safe from any thread.
    func wake() { wakeup.signal() }

    /// Restarts or stops the timeout of the events that the journal holds back from the subscribers.
    ///
    /// Safe from any thread, and does not block.
    func timeRecorder(_ isHolding: Bool) {
        timer.set(milliseconds: isHolding ? Self.recorderPatience : 0)
    }

    /// Ends the loop; only the first reason counts.
    ///
    /// Safe from any thread.
    func stop(because reason: String) { stop(because: reason, nil) }

    /// Ends the loop because the kernel can no longer be monitored; only the first reason counts.
    ///
    /// Safe from any thread.
    func stop(becauseOf failure: NetlinkError) { stop(because: "netlink is not available", failure) }

    private func stop(because reason: String, _ failure: NetlinkError?) {
        stopReason.withLock { $0 = $0 ?? (reason, failure) }
        wake()
    }

    /// Loops on the calling thread until a signal comes or ``stop(because:)`` is called.
    func run() {
        if let signal = startSignals.end() { take(signal, nil) }
        loop()
        // A second signal terminates the process, because an orderly shutdown would take too long. A late SIGHUP or
        // SIGUSR1 stays blocked for good: there is nothing left to reload or to log, and it must not cut the shutdown
        // short.
        SignalDescriptor.letEndProcess(SIGINT, SIGTERM)
    }

    private func loop() {
        let work = work.withLock { $0 }
        while reason == nil {
            let descriptors = [signals.descriptor, wakeup.descriptor, timer.descriptor, suspendWatch.descriptor]
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: work?.tick()))
            if entries[1].revents != 0 { wakeup.reset() }
            if timer.takeExpiration() { work?.bypassRecorder() }
            if let signal = signals.next() { take(signal, work) }
        }
    }

    /// Handles a signal; one that the process ignores, as after nohup(1), does not end it.
    private func take(_ signal: Int32, _ work: Work?) {
        let isIgnored = SignalDescriptor.isIgnored(signal)
        switch signal {
        case SIGINT where !isIgnored: stop(because: "SIGINT")
        case SIGTERM where !isIgnored: stop(because: "SIGTERM")
        case SIGHUP where !isIgnored && hadTerminal && isatty(STDIN_FILENO) != 1:
            stop(because: "the terminal was closed")
        case SIGHUP: work?.reload()
        case SIGUSR1: work?.dump()
        case SIGCHLD: work?.reap()
        default: break
        }
    }
}
