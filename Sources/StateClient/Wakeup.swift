internal import Glibc

/// Wakes a thread that sleeps in poll(2).
///
/// A pair of sockets instead of a signal or an eventfd: nothing else in the process can see it, and a wake-up that comes
/// before the thread sleeps is not lost.
final class Wakeup: Sendable {
    private let ends: (sleeper: Int32, waker: Int32)

    /// The descriptor that becomes readable.
    var descriptor: Int32 { ends.sleeper }

    init() throws(ClientError) {
        var pair: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &pair) == 0 else {
            throw .system(operation: "make a pair of sockets", errno: errno)
        }
        ends = (pair[0], pair[1])
    }

    deinit {
        close(ends.sleeper)
        close(ends.waker)
    }

    /// Wakes the thread now, or as soon as it wants to sleep.
    func signal() {
        var byte: UInt8 = 1
        // A full buffer holds a wake-up already.
        _ = send(ends.waker, &byte, 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Forgets the wake-ups so far.
    func reset() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while recv(ends.sleeper, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
}

extension Wakeup {
    /// What ended a sleep.
    enum Reason { case ready, woken, deadline }

    /// Sleeps until a descriptor is ready, someone calls ``signal()``, or the deadline is over.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor; a negative one is none.
    ///   - events: What it is to be ready for: `POLLIN`, `POLLOUT`.
    func sleep(
        untilReady descriptor: Int32 = -1,
        for events: Int32 = 0,
        deadline: ContinuousClock.Instant?
    ) -> Reason {
        while true {
            var entries = [
                pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            ]
            let milliseconds = deadline.map { Self.milliseconds(until: $0) } ?? -1
            let count = poll(&entries, nfds_t(entries.count), milliseconds)
            if entries[0].revents != 0, count > 0 { return .woken }
            if entries[1].revents != 0, count > 0 { return .ready }
            if count == 0, let deadline, deadline <= .now { return .deadline }
            // Anything else is EINTR, or a time-out that was cut to what poll(2) takes.
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let rest = ContinuousClock.now.duration(to: deadline).components
        guard rest.seconds >= 0, rest.attoseconds >= 0 else { return 0 }
        guard rest.seconds < 86_400 else { return 86_400_000 }
        // Rounded up: a sleep that ends early would only begin again.
        return Int32(rest.seconds) * 1000 + Int32(rest.attoseconds / 1_000_000_000_000_000) + 1
    }
}
