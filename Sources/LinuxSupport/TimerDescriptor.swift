internal import CLinux
internal import Glibc

/// A timer of the monotonic clock as something to read (timerfd_create(2)).
package final class TimerDescriptor: Sendable {
    /// The descriptor that becomes readable.
    package let descriptor: Int32

    /// A timer that does not run.
    package init() throws(SystemError) {
        descriptor = clinux_open_timerfd()
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Starts the timer anew, or stops it with 0; from any thread.
    package func set(milliseconds: Int) { clinux_set_timerfd(descriptor, milliseconds) }

    /// Tells whether the timer has run down since the last call.
    package func takeExpiration() -> Bool { clinux_has_expired(descriptor) }
}
