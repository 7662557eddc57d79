internal import AgentEvents
internal import Dispatch
internal import Glibc
internal import LinuxSupport
internal import NotificationBus
internal import Synchronization

/// Prints events to standard output, each flushed at once.
///
/// Events that can be written without blocking are written on the publisher's thread, so that no switch between threads
/// delays them. The rest, and all events if the kernel cannot guarantee a write that does not block, are written by a
/// thread of its own, which calls poll(2) first and writes no more than a pipe accepts without blocking. So a stalled
/// reader delays no other consumer, a reader that has gone is detected immediately, even while there is nothing to
/// print, and a stalled reader is abandoned at the end. A file that cannot be written, as on a full disk, is like a
/// stalled reader: the unwritten rest of a line stays first, so that no line is torn, except the last one if the agent
/// ends before there is room.
final class EventPrinter: Sendable {
    /// The maximum number of events that wait for a slow reader; after more, the stream continues with a gap.
    private static let capacity = 4096
    /// A pipe that is ready for writing takes this much without blocking (PIPE_BUF).
    private static let chunk = 4096
    /// The maximum wait for a stalled reader at the end, which the thread observes.
    private static let patience: Duration = .seconds(1)
    /// The maximum wait for the thread: beyond ``patience``, so that only one that sleeps in write(2) is left behind.
    private static let longestEnd: DispatchTimeInterval = .seconds(2)
    /// The time until the first retry after a failed write, if no event causes one earlier; it doubles with each.
    private static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(8)

    /// The bytes on their way to standard output; the writer holds the lock.
    private struct Output {
        var format: EventFormat
        var subscription: Subscription<Event>?
        var unwritten: ArraySlice<UInt8> = []
        var isFinished = false
        var canAvoidWaiting = true
    }

    /// The result of writing everything that is pending.
    private enum Progress {
        case written, finished, readerGone
        /// The rest stays pending (errno(3)).
        case failed(Int32)
    }

    private let bus: NotificationBus<Event>
    private let origin: EventOrigin
    private let output: Mutex<Output>
    private let wakeup: Wakeup
    private let thread = DispatchGroup()
    private let giveUpAt = Mutex<ContinuousClock.Instant?>(nil)

    init(bus: NotificationBus<Event>, format: EventFormat, origin: EventOrigin) throws(SystemError) {
        self.bus = bus
        output = Mutex(Output(format: format))
        self.origin = origin
        wakeup = try Wakeup()
    }

    private func subscribe() -> Subscription<Event> {
        bus.subscribe(capacity: Self.capacity) { [weak self] in self?.printWithoutWaiting() }
    }

    /// Subscribes, and starts the thread.
    ///
    /// - Parameter whenReaderGone: Called at most once, on the thread, when the reader has closed the output.
    /// - Throws: ``SystemError`` if no thread is left: a file or a terminal would get nothing without it.
    func start(whenReaderGone: @escaping @Sendable () -> Void) throws(SystemError) {
        output.withLock { $0.subscription = subscribe() }
        thread.enter()
        do throws(SystemError) {
            try NamedThread.start("printer") { [self] in
                if !printUntilFinished() { whenReaderGone() }
                thread.leave()
            }
        } catch {
            thread.leave()
            throw error
        }
    }

    /// Waits until all events published before the end of the bus are printed, or the reader is abandoned.
    func finish() {
        giveUpAt.withLock { $0 = .now.advanced(by: Self.patience) }
        wakeup.signal()
        // A terminal that has room for a part of a chunk makes the thread wait for the rest, and nothing interrupts that.
        _ = thread.wait(timeout: .now() + Self.longestEnd)
    }

    // MARK: On the publisher's thread

    /// Writes what the reader accepts without blocking, and leaves the rest to the thread.
    private func printWithoutWaiting() {
        let isDone = output.withLockIfAvailable { output in
            while output.canAvoidWaiting, fill(&output) {
                let written = output.unwritten.withUnsafeBytes { NonblockingWrite.write($0, to: STDOUT_FILENO) }
                if written < 0, errno == EOPNOTSUPP { output.canAvoidWaiting = false }
                guard written > 0 else { return false }
                output.unwritten = output.unwritten.dropFirst(written)
            }
            return output.canAvoidWaiting && !output.isFinished
        }
        if isDone != true { wakeup.signal() }
    }

    /// Fetches more events once everything is written; `false` if there is nothing to write.
    private func fill(_ output: inout Output) -> Bool {
        guard output.unwritten.isEmpty else { return true }
        switch output.subscription?.take() {
        case .notifications(let batch): output.unwritten = output.format.text(batch.map(\.content))[...]
        case .lagged(let last):
            // The gap is reported, and the stream continues after it.
            let draft = EventDraft.subscriberLagged(lastSequence: last)
            output.subscription = subscribe()
            output.unwritten = output.format.text([Event(draft, from: origin, at: .now, number: last)])[...]
        case .empty, nil: return false
        case .finished:
            output.isFinished = true
            return false
        }
        return true
    }

    // MARK: On the printer's thread

    /// Prints until the bus is finished; `false` if the reader has closed the output.
    private func printUntilFinished() -> Bool {
        var failure: Int32?
        var pause = Self.shortestPause
        while true {
            var retry: ContinuousClock.Instant?
            switch output.withLock({ writePending(&$0) }) {
            case .finished: return true
            case .readerGone: return false
            case .written:
                if failure != nil { AgentLogger.make().notice("standard output is written again") }
                (failure, pause) = (nil, Self.shortestPause)
            case .failed(let number):
                if failure != number { report(number) }
                failure = number
                if giveUpAt.withLock({ $0 }) != nil { return true }
                retry = .now + pause
                pause = min(pause * 2, Self.longestPause)
            }
            let milliseconds = PollTimeout.milliseconds(until: retry)
            if poll(outputEvents: 0, milliseconds: milliseconds).isReaderGone { return false }
        }
    }

    /// Writes until nothing is pending, and waits while the reader accepts nothing.
    private func writePending(_ output: inout Output) -> Progress {
        while fill(&output) {
            guard waitForRoom() else { return .readerGone }
            let written = output.unwritten.prefix(Self.chunk).withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if written >= 0 {
                output.unwritten = output.unwritten.dropFirst(written)
            } else {
                switch errno {
                case EINTR, EAGAIN: break
                case EPIPE, EBADF: return .readerGone
                case let number: return .failed(number)
                }
            }
        }
        return output.isFinished ? .finished : .written
    }

    private func report(_ number: Int32) {
        AgentLogger.make().warning(
            """
            standard output cannot be written: \(SystemError(errno: number)); \
            it is retried, and up to \(Self.capacity) events wait for it
            """
        )
    }

    /// Waits until the reader accepts more; `false` if it has gone, or is abandoned.
    private func waitForRoom() -> Bool {
        while true {
            let limit = giveUpAt.withLock { $0 }
            let milliseconds = PollTimeout.milliseconds(until: limit)
            let ready = poll(outputEvents: Int16(POLLOUT), milliseconds: milliseconds)
            if ready.isReaderGone { return false }
            if ready.hasRoom { return true }
            if milliseconds == 0 { return false }
        }
    }

    /// Waits for standard output or the wake-up descriptor, and resets the latter.
    private func poll(outputEvents: Int16, milliseconds: Int32) -> (hasRoom: Bool, isReaderGone: Bool) {
        var entries = [
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: outputEvents, revents: 0),
        ]
        _ = Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
        if entries[0].revents != 0 { wakeup.reset() }
        let answer = Int32(entries[1].revents)
        // A pipe without a reader has an error, a socket whose other end was closed a hang-up.
        return (answer & POLLOUT != 0, answer & (POLLERR | POLLHUP | POLLNVAL) != 0)
    }
}
