internal import CLinux
internal import Glibc

/// Signals of the process as something to read (signalfd(2)).
package final class SignalDescriptor: Sendable {
    /// The descriptor that becomes readable.
    package let descriptor: Int32

    /// Keeps a signal from the calling thread and those that it starts later, until it is read or given back.
    package static func hold(_ signal: Int32) { clinux_hold_signal(signal) }

    /// Takes five signals over; to be called before another thread is started, because threads inherit what is blocked.
    package init(
        _ first: Int32,
        _ second: Int32,
        _ third: Int32,
        _ fourth: Int32,
        _ fifth: Int32
    ) throws(SystemError) {
        descriptor = clinux_open_signalfd(first, second, third, fourth, fifth)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Takes the next signal; nil when none came.
    package func next() -> Int32? {
        let signal = clinux_next_signal(descriptor)
        return signal == 0 ? nil : signal
    }

    /// Lets the calling thread, and so the process, be ended by two of the signals again.
    package static func giveBack(_ first: Int32, _ second: Int32) { clinux_give_back_signals(first, second) }
}
