internal import DetachedThread
internal import Dispatch
internal import Glibc
internal import NetlinkMonitor
internal import Synchronization

/// Writes every input of a state machine into a file, from which `reachagent replay` gives the same transitions.
///
/// The caller never waits for the disk: a thread writes. A disk that is full or fails, an input that is too large, and
/// more inputs than may wait end the recording, which then has a line that says so where there is room for it.
public final class InputRecorder: Sendable {
    /// The length at which a recording ends unless told otherwise: 256 MiB.
    public static let standardLimit = 256 << 20
    /// The longest line; a reader takes no longer one.
    static let longestLine = 16 << 20

    private let queue: RecordingQueue
    private let ended = DispatchSemaphore(value: 0)

    /// Creates the file, writes the header, and starts the thread.
    ///
    /// - Parameters:
    ///   - path: A new file, which only its owner may read; one that exists is refused.
    ///   - header: The first line; instants are counted from its `started`.
    ///   - limitBytes: How long the file may become.
    ///   - whenEnded: Called at most once, on the thread, with the reason for which the recording ended early: a clause.
    public convenience init(
        path: String,
        header: RecordingHeader,
        limitBytes: Int = InputRecorder.standardLimit,
        whenEnded: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(RecordingError) {
        let file = try RecordingFile(creating: path, limit: limitBytes)
        try self.init(file: file, path: path, queue: RecordingQueue(), header: header, whenEnded: whenEnded)
    }

    init(
        file: RecordingFile,
        path: String,
        queue: RecordingQueue,
        header: RecordingHeader,
        whenEnded: @escaping @Sendable (String) -> Void
    ) throws(RecordingError) {
        self.queue = queue
        var file = file
        do throws(RecordingFile.Refusal) {
            try file.append(header.line)
        } catch {
            file.close()
            throw RecordingError(operation: "write", path: path, cause: error.cause)
        }
        let writer = RecordingWriter(file: file, path: path, epoch: header.started.instant, whenEnded: whenEnded)
        do throws(DetachedThread.Refusal) {
            try DetachedThread.start { [queue, ended] in
                writer.run(queue)
                ended.signal()
            }
        } catch {
            file.close()
            throw RecordingError(operation: "start a thread for", path: path, cause: .errno(error.errno))
        }
    }

    deinit { queue.finish() }

    /// Records an input; to be called in the order in which the machine takes them.
    ///
    /// Safe from any thread, quick, and without effect once the recording has ended.
    ///
    /// - Parameter nextSequence: The number that the first event of the input's transitions gets, or would get.
    public func record(_ input: InputRecord, nextSequence: UInt64? = nil) { queue.put(input, sequence: nextSequence) }

    /// Ends the recording, and waits until everything is written, or the disk is given up.
    ///
    /// - Parameter limit: How long to wait.
    public func finish(within limit: Duration = .seconds(2)) {
        queue.finish()
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(86_400)).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        if ended.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success {
            // For another call.
            ended.signal()
        }
    }
}

/// What the recorder's thread does.
private struct RecordingWriter: Sendable {
    let file: RecordingFile
    let path: String
    let epoch: ContinuousClock.Instant
    let whenEnded: @Sendable (String) -> Void

    func run(_ queue: RecordingQueue) {
        var file = file
        let coder = InputCoder(epoch: epoch)
        let reason = write(from: queue, with: coder, to: &file)
        if let reason {
            // Without the marker a reader sees the end all the same, but not that something is missing.
            try? file.append(InputLine.truncationMarker, isMarker: true)
            whenEnded(reason)
        }
        file.close()
        // Whatever comes now is let go.
        queue.finish()
    }

    /// Writes until nothing more comes; otherwise gives the reason why nothing more can be written.
    private func write(from queue: RecordingQueue, with coder: InputCoder, to file: inout RecordingFile) -> String? {
        while true {
            switch queue.take() {
            case .finish: return nil
            case .overflow: return "more came than \(path) could be written"
            case .inputs(let entries):
                for entry in entries {
                    if let reason = write(entry, with: coder, to: &file) { return reason }
                }
            }
        }
    }

    private func write(_ entry: RecordingQueue.Entry, with coder: InputCoder, to file: inout RecordingFile) -> String? {
        do {
            let line = try coder.line(entry.input, sequence: entry.sequence)
            guard line.count <= InputRecorder.longestLine else { return "an input is too large for \(path)" }
            try file.append(line)
            return nil
        } catch RecordingFile.Refusal.full {
            return "\(path) is as long as it may become"
        } catch let refusal as RecordingFile.Refusal {
            return "\(RecordingError(operation: "write", path: path, cause: refusal.cause))"
        } catch {
            return "an input cannot be written to \(path)"
        }
    }
}

extension RecordingFile.Refusal {
    fileprivate var cause: RecordingError.Cause {
        switch self {
        case .full: .errno(EFBIG)
        case .errno(let number): .errno(number)
        }
    }
}
