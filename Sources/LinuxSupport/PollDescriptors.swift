internal import CLinux
internal import Glibc

/// Wakes a thread that sleeps in poll(2).
///
/// A wake-up before the thread sleeps is not lost, and several wake-ups are combined into one.
package final class Wakeup: Sendable {
    /// The reason a sleep ended.
    package enum Reason: Sendable { case ready, woken, deadline }

    /// The descriptor that becomes readable (eventfd(2)).
    package let descriptor: Int32

    /// Creates a wake-up that is not signaled.
    package init() throws(SystemError) {
        descriptor = clinux_open_eventfd()
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Wakes the thread now, or as soon as it sleeps; safe to call from any thread.
    package func signal() { clinux_signal_eventfd(descriptor) }

    /// Clears the previous wake-ups.
    package func reset() { clinux_reset_eventfd(descriptor) }

    /// Sleeps until a descriptor is ready, ``signal()`` was called, or the deadline has passed.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor; a negative one is ignored.
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
            // Anything else is EINTR, or a timeout that was clamped to its maximum.
        }
    }
}

/// The timeout argument of poll(2).
package enum PollTimeout {
    /// Returns the milliseconds until an instant, rounded up so that it has passed when poll(2) returns, at most a day;
    /// -1 for no timeout.
    package static func milliseconds(until due: ContinuousClock.Instant?) -> Int32 {
        guard let due else { return -1 }
        let left = min(ContinuousClock.now.duration(to: due), .seconds(86_400))
        guard left > .zero else { return 0 }
        return Int32(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }
}

/// A timer of the monotonic clock as a readable descriptor (timerfd_create(2)).
package final class TimerDescriptor: Sendable {
    /// The descriptor that becomes readable.
    package let descriptor: Int32

    /// Creates a timer that is not running.
    package init() throws(SystemError) {
        descriptor = clinux_open_timerfd()
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Restarts the timer, which expires again and again after this time, or stops it with 0; safe to call from any thread.
    package func set(milliseconds: Int) { clinux_set_timerfd(descriptor, milliseconds) }

    /// Returns whether the timer has expired since the last call.
    package func takeExpiration() -> Bool { clinux_has_expired(descriptor) }
}

/// Signals of the process as a readable descriptor (signalfd(2)).
package final class SignalDescriptor: Sendable {
    /// The descriptor that becomes readable.
    package let descriptor: Int32

    /// Blocks a signal on the calling thread and those that it starts later, until it is read or unblocked.
    package static func hold(_ signal: Int32) { clinux_hold_signal(signal) }

    /// Blocks signals and makes them readable; must be called before any other thread is started, because threads
    /// inherit the signal mask.
    package init(_ signals: Int32...) throws(SystemError) {
        descriptor = clinux_open_signalfd(signals, signals.count)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Takes the next signal; nil if there is none.
    package func next() -> Int32? {
        let signal = clinux_next_signal(descriptor)
        return signal == 0 ? nil : signal
    }

    /// Takes the next signal that the process does not ignore; nil if there is none.
    ///
    /// The kernel keeps a blocked signal even if the process ignores it, as after nohup(1).
    package func nextNotIgnored() -> Int32? {
        while let signal = next() { if !Self.isIgnored(signal) { return signal } }
        return nil
    }

    /// Returns whether the process ignores a signal, as its parent may have requested.
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Unblocks two of the signals on the calling thread, so that they can terminate the process again.
    package static func giveBack(_ first: Int32, _ second: Int32) { clinux_give_back_signals(first, second) }

    /// Unblocks two of the signals on the calling thread, and makes sure that they end the process.
    package static func letEndProcess(_ first: Int32, _ second: Int32) {
        letEndProcessOne(first, second)
        giveBack(first, second)
    }

    /// Makes sure that signals end the process also as process 1 of a namespace, such as that of a container, for which the
    /// kernel has no default action; one that it ignores stays ignored.
    package static func letEndProcessOne(_ signals: Int32...) {
        guard getpid() == 1 else { return }
        // A handler may call nothing that is not async-signal-safe (signal-safety(7)).
        for number in signals where !isIgnored(number) { Glibc.signal(number) { _exit(128 &+ $0) } }
    }
}

/// Changes of the wall clock, including those by a resume from suspend, as a readable descriptor.
///
/// The watch causes no other wake-ups. Owned by one caller at a time.
package struct ClockWatch: ~Copyable, Sendable {
    /// The descriptor that becomes readable; -1, which poll(2) ignores, if the kernel does not provide one.
    package private(set) var descriptor: Int32

    /// Creates a watch for the next change of the clock.
    package init() {
        descriptor = clinux_open_clock_watch()
        arm()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Rearms the watch after a change of the clock, so that the descriptor is no longer readable.
    ///
    /// - Returns: True if the clock was changed.
    @discardableResult
    package mutating func reset() -> Bool {
        guard descriptor >= 0, clinux_clock_was_set(descriptor) else { return false }
        arm()
        return true
    }

    /// Arms the watch, or closes a descriptor that cannot be armed: it would stay readable, and poll(2) would never
    /// sleep again.
    private mutating func arm() {
        guard descriptor >= 0, clinux_arm_clock_watch(descriptor) != 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    /// `true` if the kernel considers the wall clock synchronized with a time server.
    package static var isSynchronized: Bool { clinux_clock_is_synchronized() }
}
