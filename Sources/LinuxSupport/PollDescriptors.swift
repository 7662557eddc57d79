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

    /// A wake-up that is not signaled yet.
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
    ///   - events: The events to wait for: `POLLIN`, `POLLOUT`.
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

/// The timeout argument of poll(2).
package enum PollTimeout {
    /// Returns the milliseconds until an instant, rounded up so that it has passed when poll(2) returns; -1 for no
    /// timeout.
    package static func milliseconds(until due: ContinuousClock.Instant?) -> Int32 {
        guard let due else { return -1 }
        let left = ContinuousClock.now.duration(to: due)
        guard left > .zero else { return 0 }
        return Int32(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }
}

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

    /// Returns whether the timer has expired since the last call.
    package func takeExpiration() -> Bool { clinux_has_expired(descriptor) }
}

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

/// The setting of the clock of the day, which resuming from suspend is too, as something to read.
///
/// Nothing wakes up for it otherwise. Owned by one caller at a time.
package struct ClockWatch: ~Copyable, Sendable {
    /// The descriptor that becomes readable; -1, which poll(2) ignores, where the kernel has none to offer.
    package private(set) var descriptor: Int32

    /// A watch for the next setting of the clock.
    package init() {
        descriptor = clinux_open_clock_watch()
        arm()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits for the next setting of the clock where there was one, so that the descriptor is unreadable again.
    package mutating func reset() { if descriptor >= 0, clinux_clock_was_set(descriptor) { arm() } }

    /// A descriptor that cannot be armed would stay readable, and poll(2) would never sleep again: it is given up.
    private mutating func arm() {
        guard descriptor >= 0, clinux_arm_clock_watch(descriptor) != 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    /// `true` if the kernel believes that a time server keeps the clock of the day right.
    package static var isSynchronized: Bool { clinux_clock_is_synchronized() }
}
