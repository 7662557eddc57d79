internal import Dispatch
internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Writes lines to a descriptor, each by one write(2), and never blocks on the reader.
///
/// Bytes that the reader accepts without waiting are written on the caller's thread. The rest is queued; a thread
/// writes the queue and exists only while the queue is not empty, so an idle process has no thread for its log. A queue
/// that was full accepts no lines until the reader has continued; then the number of lost lines is reported at the
/// place where they are missing.
final class LogWriter: Sendable {
    /// The maximum number of queued bytes.
    static let maximumBytes = 256 << 10

    /// Bytes to write, and the number of lost lines if they cannot be written.
    private struct Entry {
        var bytes: ArraySlice<UInt8>
        let count: Int
    }

    private struct State {
        var waiting: [Entry] = []
        /// The number of queued bytes, including those that the thread is writing.
        var waitingBytes = 0
        /// The number of lines lost since the last accepted one.
        var lost = 0
        var hasThread = false
        var canAvoidWaiting = true
    }

    private enum Outcome { case done, mustWait, failed }

    private let descriptor: Int32
    private let lossLine: @Sendable (Int) -> [UInt8]
    private let state = Mutex(State())
    private let thread = DispatchGroup()

    /// Creates a writer to a descriptor, which the writer does not close.
    ///
    /// - Parameter lossLine: Returns the line that reports a number of lost lines.
    init(_ descriptor: Int32, lossLine: @escaping @Sendable (Int) -> [UInt8]) {
        self.descriptor = descriptor
        self.lossLine = lossLine
    }

    /// Writes or queues lines, which stay together.
    ///
    /// Safe to call from any thread, and never blocks.
    func write(_ lines: [[UInt8]]) {
        let needsThread = state.withLock { state in
            for line in lines { enqueue(line[...], &state) }
            guard !state.hasThread else { return false }
            writeWithoutWaiting(&state)
            state.hasThread = !state.waiting.isEmpty
            return state.hasThread
        }
        if needsThread { startThread() }
    }

    /// Waits until everything is written, up to a timeout.
    func flush(within patience: Duration) {
        _ = thread.wait(timeout: .now() + patience.dispatchInterval)
    }

    // MARK: With the lock held

    private func enqueue(_ line: ArraySlice<UInt8>, _ state: inout State) {
        // After a loss, more room is required, or every other line would report a loss.
        let room = state.lost == 0 ? Self.maximumBytes : Self.maximumBytes / 2
        guard state.waitingBytes + line.count <= room else {
            state.lost += 1
            return
        }
        enqueueLoss(&state)
        append(Entry(bytes: line, count: 1), &state)
    }

    private func enqueueLoss(_ state: inout State) {
        guard state.lost > 0 else { return }
        append(Entry(bytes: lossLine(state.lost)[...], count: state.lost), &state)
        state.lost = 0
    }

    private func append(_ entry: Entry, _ state: inout State) {
        state.waiting.append(entry)
        state.waitingBytes += entry.bytes.count
    }

    private func writeWithoutWaiting(_ state: inout State) {
        var done = 0
        loop: for index in state.waiting.indices {
            let length = state.waiting[index].bytes.count
            let outcome = writeWithoutWaiting(&state.waiting[index].bytes, &state.canAvoidWaiting)
            state.waitingBytes -= length - state.waiting[index].bytes.count
            switch outcome {
            case .done: break
            case .mustWait: break loop
            case .failed:
                state.waitingBytes -= state.waiting[index].bytes.count
                state.lost += state.waiting[index].count
            }
            done += 1
        }
        state.waiting.removeFirst(done)
    }

    private func writeWithoutWaiting(_ rest: inout ArraySlice<UInt8>, _ canAvoidWaiting: inout Bool) -> Outcome {
        while !rest.isEmpty {
            guard canAvoidWaiting else { return .mustWait }
            let written = rest.withUnsafeBytes { NonblockingWrite.write($0, to: descriptor) }
            if written >= 0 {
                rest = rest.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .mustWait
            // This type of file, or the kernel, does not support non-blocking writes.
            case EOPNOTSUPP, ENOSYS, EINVAL: canAvoidWaiting = false
            default: return .failed
            }
        }
        return .done
    }

    // MARK: Thread

    private func startThread() {
        thread.enter()
        do throws(SystemError) {
            try NamedThread.start("log") { [self] in
                writeUntilEmpty()
                thread.leave()
            }
        } catch {
            // The next message retries.
            state.withLock { $0.hasThread = false }
            thread.leave()
        }
    }

    private func writeUntilEmpty() {
        var isTaken = true
        while let entries = next(isTaken) {
            for entry in entries {
                isTaken = writeAndWait(entry.bytes)
                state.withLock { state in
                    state.waitingBytes -= entry.bytes.count
                    if !isTaken { state.lost += entry.count }
                }
            }
        }
    }

    /// Returns the next entries; `nil` if there are none, after which the thread must end.
    ///
    /// - Parameter isTaken: `true` if the last write succeeded, so that a loss can be reported to a reader.
    private func next(_ isTaken: Bool) -> [Entry]? {
        state.withLock { state in
            if state.waiting.isEmpty, isTaken { enqueueLoss(&state) }
            state.hasThread = !state.waiting.isEmpty
            defer { state.waiting = [] }
            return state.hasThread ? state.waiting : nil
        }
    }

    private func writeAndWait(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Another owner of the descriptor has made it non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
