internal import Glibc
internal import LinuxSupport

/// SIGINT and SIGTERM while the agent starts, which takes as long as its disk hangs.
///
/// The first one waits until the agent has started, for an orderly shutdown; the second one ends the process.
final class StartSignals: Sendable {
    private let hasStarted: Wakeup
    private let first: Monitor<Int32?>
    private let thread: NamedThread

    /// Blocks the signals and starts a thread for them; must be called before any other thread is started.
    init() throws(SystemError) {
        let signals = try SignalDescriptor(SIGINT, SIGTERM)
        let (hasStarted, first) = (try Wakeup(), Monitor<Int32?>(nil))
        (self.hasStarted, self.first) = (hasStarted, first)
        thread = try NamedThread("start-signals") {
            while hasStarted.sleep(untilReady: signals.descriptor, for: POLLIN, deadline: nil) == .ready {
                guard let signal = signals.nextNotIgnored() else { continue }
                if first.withLock({ $0 }) == nil {
                    first.withLock { $0 = signal }
                } else {
                    SignalDescriptor.letEndProcess(SIGINT, SIGTERM)
                    raise(signal)
                }
            }
        }
    }

    /// Ends the thread, and returns the signal that came meanwhile; must be called at most once.
    func end() -> Int32? {
        hasStarted.signal()
        thread.join()
        return first.withLock { $0 }
    }
}
