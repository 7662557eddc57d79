internal import Glibc

/// Ends a blocking call of a thread, where a library offers no way to give up: the call returns with `EINTR`.
enum Interruption {
    /// A signal that does nothing where nobody has asked for it.
    private static let signal = SIGURG

    private static let isPrepared: Void = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        // Without SA_RESTART, which is the point.
        action.sa_flags = 0
        sigaction(signal, &action, nil)
    }()

    /// Prepares the process.
    static func prepare() { isPrepared }

    /// Lets the calling thread be interrupted; those that are started from a ``NamedThread`` hold all signals back.
    static func allow() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Interrupts a thread, which must not have ended.
    static func send(to thread: pthread_t) { pthread_kill(thread, signal) }
}
