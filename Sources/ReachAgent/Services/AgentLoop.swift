internal import CLibNL
internal import Glibc
internal import NetlinkMonitor
internal import Synchronization

/// What the main thread does while the agent runs: it waits for signals, for the moments at which something settles, and
/// for a request to end.
///
/// It sleeps in poll(2), without a time-out while nothing waits to settle. Nothing here uses Swift's tasks: once their
/// shared threads have run a single job, libdispatch wakes the process every second for ever.
final class AgentLoop: Sendable {
    private let signalDescriptor: Int32
    private let wakeDescriptor: Int32
    private let stopReason = Mutex<String?>(nil)

    /// Takes SIGINT and SIGTERM over; to be called before any thread is started.
    init() throws(NetlinkError) {
        signalDescriptor = clibnl_open_signalfd(SIGINT, SIGTERM)
        wakeDescriptor = clibnl_open_eventfd()
        guard signalDescriptor >= 0, wakeDescriptor >= 0 else {
            throw NetlinkError(operation: "create the agent's descriptors", cause: .errno(errno))
        }
    }

    deinit {
        close(signalDescriptor)
        close(wakeDescriptor)
    }

    /// Makes the loop ask for the next moment again.
    ///
    /// Safe from any thread.
    func wake() { clibnl_signal_eventfd(wakeDescriptor) }

    /// Ends the loop; only the first reason counts.
    ///
    /// Safe from any thread.
    func stop(because reason: String) {
        stopReason.withLock { $0 = $0 ?? reason }
        wake()
    }

    /// Calls `tick` whenever the moment that it gave has come, or after ``wake()``, until the agent shall end.
    ///
    /// - Returns: Why it shall end.
    func run(_ tick: () -> ContinuousClock.Instant?) -> String {
        while true {
            if let reason = stopReason.withLock({ $0 }) { return reason }
            var entries = [
                pollfd(fd: signalDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: tick()))
            if entries[1].revents != 0 { clibnl_reset_eventfd(wakeDescriptor) }
            switch clibnl_next_signal(signalDescriptor) {
            case SIGINT: return "SIGINT"
            case SIGTERM: return "SIGTERM"
            default: break
            }
        }
    }
}
