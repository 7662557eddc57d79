internal import CLibNL
internal import Dispatch
internal import EventSchema
internal import Glibc
internal import NetlinkMonitor
internal import NotificationBus
internal import ServiceLifecycle
internal import Synchronization

/// Prints events to standard output, each flushed at once.
///
/// A thread of its own writes, because a reader that does not read blocks it. It never blocks in write(2) itself: it asks
/// poll(2) first and writes no more than a pipe takes at once. So it notices at once when the reader has gone, even while
/// nothing is to be printed, and at the end it waits for a stuck reader no longer than a second.
final class EventPrinter: Service {
    /// How many events may wait for a slow reader before the stream is cut and goes on with a gap.
    private static let capacity = 4096
    /// POSIX lets a pipe that is ready for writing block on more than this (PIPE_BUF).
    private static let chunk = 4096
    private static let drainTime: Duration = .seconds(1)

    private let bus: NotificationBus<Event>
    private let format: OutputFormat
    private let origin: EventOrigin
    private let stopRequests: StopRequests
    private let subscription: Mutex<Subscription<Event>>
    private let wakeDescriptor: Int32
    /// Set when the agent ends: from then on a stuck reader is given up after ``drainTime``.
    private let drainUntil = Mutex<ContinuousClock.Instant?>(nil)

    init(
        bus: NotificationBus<Event>,
        format: OutputFormat,
        origin: EventOrigin,
        stopRequests: StopRequests
    ) throws(NetlinkError) {
        self.bus = bus
        self.format = format
        self.origin = origin
        self.stopRequests = stopRequests
        let descriptor = clibnl_open_eventfd()
        guard descriptor >= 0 else {
            throw NetlinkError(operation: "create the printer's wake-up descriptor", cause: .errno(errno))
        }
        wakeDescriptor = descriptor
        subscription = Mutex(bus.subscribe(capacity: Self.capacity) { clibnl_signal_eventfd(descriptor) })
    }

    deinit { close(wakeDescriptor) }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withCheckedContinuation { continuation in
                // Not the concurrency runtime's: this thread sleeps in poll(2).
                DispatchQueue(label: "reachagent.stdout").async { [self] in
                    printUntilFinished()
                    continuation.resume()
                }
            }
        } onGracefulShutdown: { [self] in
            drainUntil.withLock { $0 = .now.advanced(by: Self.drainTime) }
            clibnl_signal_eventfd(wakeDescriptor)
        }
        // A service that ends before its turn would be taken for a failure.
        stopRequests.stop(because: "the reader of standard output has gone")
        try? await gracefulShutdown()
    }

    /// The thread's body: until the bus is finished and everything is printed, or nobody reads any more.
    private func printUntilFinished() {
        while true {
            switch subscription.withLock({ $0 }).take() {
            case .notifications(let batch):
                guard output(batch.map(\.content)) else { return }
            case .lagged(let last):
                // The gap is told, and the stream goes on behind it.
                let lagged = Event(
                    .subscriberLagged(lastSequence: last),
                    from: origin,
                    at: Timestamp(.now),
                    number: last
                )
                let next = bus.subscribe(capacity: Self.capacity) { [wakeDescriptor] in
                    clibnl_signal_eventfd(wakeDescriptor)
                }
                subscription.withLock { $0 = next }
                guard output([lagged]) else { return }
            case .empty: guard waitForEvents() else { return }
            case .finished: return
            }
        }
    }

    private func output(_ events: [Event]) -> Bool {
        var text: [UInt8] = []
        for event in events {
            switch format {
            case .json: text += event.line
            case .human: text += HumanLine.text(event).utf8
            }
            text.append(UInt8(ascii: "\n"))
        }
        var rest = text[...]
        while !rest.isEmpty {
            guard waitForRoom() else { return false }
            let written = rest.prefix(Self.chunk).withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if written < 0, errno != EINTR, errno != EAGAIN { return false }
            rest = rest.dropFirst(max(0, written))
        }
        return true
    }

    /// Waits for something to print; `false` when the reader has gone.
    private func waitForEvents() -> Bool {
        let ready = poll(outputEvents: 0, milliseconds: -1)
        return !ready.isReaderGone
    }

    /// Waits until the reader takes more; `false` when it has gone, or is given up.
    private func waitForRoom() -> Bool {
        while true {
            let until = drainUntil.withLock { $0 }
            let left = until.map { max(.zero, ContinuousClock.now.duration(to: $0)).components }
            let milliseconds = left.map { Int32(clamping: $0.seconds * 1000 + $0.attoseconds / 1_000_000_000_000_000) }
            let ready = poll(outputEvents: Int16(POLLOUT), milliseconds: milliseconds ?? -1)
            if ready.isReaderGone { return false }
            if ready.hasRoom { return true }
            if milliseconds == 0 { return false }
        }
    }

    /// Waits for standard output or the wake-up descriptor, and resets the latter.
    private func poll(outputEvents: Int16, milliseconds: Int32) -> (hasRoom: Bool, isReaderGone: Bool) {
        var entries = [
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: outputEvents, revents: 0),
        ]
        _ = Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
        if entries[0].revents != 0 {
            clibnl_reset_eventfd(wakeDescriptor)
        }
        let answer = Int32(entries[1].revents)
        return (answer & POLLOUT != 0, answer & (POLLERR | POLLNVAL) != 0)
    }
}
