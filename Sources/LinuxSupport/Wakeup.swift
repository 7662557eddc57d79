internal import CLinux
internal import Glibc

/// Wakes a thread that sleeps in poll(2).
///
/// A wake-up that comes before the thread sleeps is not lost, and any number of them is one.
package final class Wakeup: Sendable {
    /// The end of a sleep.
    package enum Reason: Sendable { case ready, woken, deadline }

    /// The descriptor that becomes readable (eventfd(2)).
    package let descriptor: Int32

    /// A wake-up that nobody has asked for yet.
    package init() throws(SystemError) {
        descriptor = clinux_open_eventfd()
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Wakes the thread now, or as soon as it wants to sleep; from any thread.
    package func signal() { clinux_signal_eventfd(descriptor) }

    /// Forgets the wake-ups so far.
    package func reset() { clinux_reset_eventfd(descriptor) }

    /// Sleeps until a descriptor is ready, ``signal()`` was called, or the deadline is over.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor; a negative one is none.
    ///   - events: What it is to be ready for: `POLLIN`, `POLLOUT`.
    ///   - deadline: The end of the sleep; nil for none.
    package func sleep(
        untilReady descriptor: Int32 = -1,
        for events: Int32 = 0,
        deadline: ContinuousClock.Instant?
    ) -> Reason {
        while true {
            var entries = [
                pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            ]
            let count = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: deadline))
            if entries[0].revents != 0, count > 0 { return .woken }
            if entries[1].revents != 0, count > 0 { return .ready }
            if count == 0, let deadline, deadline <= .now { return .deadline }
            // Anything else is EINTR, or a time-out that was cut to what poll(2) takes.
        }
    }
}
