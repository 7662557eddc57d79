internal import Glibc
internal import LinuxSupport
public import NetlinkMonitor
internal import Synchronization

/// Writes every input of a state machine to a file, from which `reachagent replay` reproduces the transitions.
///
/// The caller never waits for the disk: a thread writes. A full or failing disk, an oversized input, and an overflow of
/// the queue end the recording, with a marker line if there is space for it.
public final class InputRecorder: Sendable {
    /// The default maximum size of a recording: 256 MiB.
    public static let standardLimit = 256 << 20
    /// The maximum length of a line, for readers too.
    static let longestLine = 16 << 20

    private let queue: RecordingQueue
    private let ended = Monitor(false)

    /// Creates the file, writes the header, and starts the thread.
    ///
    /// - Parameters:
    ///   - path: A new file, readable only by its owner; an existing one is an error.
    ///   - header: The first line; instants are relative to its `started`.
    ///   - limitBytes: The maximum size of the file.
    ///   - whenEnded: Called at most once, on the thread, with the reason the recording ended early: a clause.
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
        do throws(SystemError) {
            try NamedThread.start("recording") { [queue, ended] in
                writer.run(queue)
                ended.signal()
            }
        } catch {
            file.close()
            throw RecordingError(operation: "start a thread for", path: path, cause: .errno(error.errno))
        }
    }

    deinit { queue.finish() }

    /// Records an input; must be called in the order in which the machine handles them.
    ///
    /// Safe to call from any thread, quick, and without effect once the recording has ended.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - nextSequence: The number of the first event of the input's transitions, if there are any.
    ///   - published: The time of these events; `nil` if it is that of the input.
    public func record(_ input: InputRecord, nextSequence: UInt64? = nil, published: ObservedTime? = nil) {
        queue.put(input, sequence: nextSequence, published: published)
    }

    /// Ends the recording, and waits until everything is written, or until the limit.
    ///
    /// - Parameter limit: The maximum time to wait.
    public func finish(within limit: Duration = .seconds(2)) {
        queue.finish()
        ended.waitForSignal(within: limit)
    }
}

/// The work of the recorder's thread.
private struct RecordingWriter: Sendable {
    let file: RecordingFile
    let path: String
    let epoch: ContinuousClock.Instant
    let whenEnded: @Sendable (String) -> Void

    func run(_ queue: RecordingQueue) {
        var file = file
        let coder = InputCoder(epoch: epoch)
        let reason = write(from: queue, with: coder, to: &file)
        queue.close()
        if let reason {
            // Without the marker a reader still sees the end, but not that something is missing.
            try? file.append(InputLine.truncationMarker, isMarker: true)
            whenEnded(reason)
        }
        file.close()
    }

    /// Writes until the end of the queue; otherwise returns the reason nothing more can be written.
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
            let line = try coder.line(entry.input, sequence: entry.sequence, published: entry.published)
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

/// The file of a recording: complete lines up to a limit, and nothing after a failure.
struct RecordingFile: Sendable {
    /// The reason a line was not written.
    enum Refusal: Error, Hashable {
        /// The recording would exceed its maximum size.
        case full
        /// The kernel's error (errno(3)).
        case errno(Int32)

        var cause: RecordingError.Cause {
            switch self {
            case .full: .errno(EFBIG)
            case .errno(let number): .errno(number)
            }
        }
    }

    private let descriptor: Int32
    private let limit: Int
    private var length = 0

    /// Creates the file, readable only by its owner.
    ///
    /// - Throws: ``RecordingError``, also if the path exists, even as a broken link.
    init(creating path: String, limit: Int) throws(RecordingError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, mode_t(S_IRUSR | S_IWUSR))
        guard descriptor >= 0 else { throw RecordingError(operation: "create", path: path, cause: .errno(errno)) }
        self.init(descriptor: descriptor, limit: limit)
    }

    /// Adopts an open descriptor.
    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        // The marker of a truncated recording always has space.
        self.limit = max(0, limit - InputLine.truncationMarker.count - 1)
    }

    /// Appends a line; after a failure the file ends with the last complete one.
    mutating func append(_ line: [UInt8], isMarker: Bool = false) throws(Refusal) {
        let bytes = line + [UInt8(ascii: "\n")]
        let (newLength, overflows) = length.addingReportingOverflow(bytes.count)
        guard isMarker || (!overflows && newLength <= limit) else { throw .full }
        var start = 0
        while start < bytes.count {
            let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                start += written
            } else if written == 0 || errno != EINTR {
                let number = written == 0 ? EIO : errno
                _ = ftruncate(descriptor, off_t(length))
                _ = lseek(descriptor, off_t(length), SEEK_SET)
                throw .errno(number)
            }
        }
        length = newLength
    }

    func close() { _ = Glibc.close(descriptor) }
}
