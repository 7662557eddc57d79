internal import Glibc
public import NetlinkMonitor
public import Reachability

/// An input in a recording.
public struct RecordedInput: Sendable {
    /// The input.
    public let input: InputRecord
    /// The number of the first event of its transitions, if there are any; `nil` if not recorded.
    public let sequence: UInt64?
    /// The time of these events; `nil` if it is that of the input.
    public let published: ObservedTime?
    /// The number of the line, from 1.
    public let line: Int
}

/// Reads a recording line by line; only the current line is in memory.
///
/// All input is validated: a damaged or malicious file causes an error with the line's number.
public struct RecordingReader {
    /// The first line.
    public let header: RecordingHeader
    /// `true` if the recorder had to end early: valid once ``next()`` has returned `nil`.
    public private(set) var isTruncated = false

    private let lines: RecordingLines
    private let coder: InputCoder
    private var isAtEnd = false

    /// Opens a recording and reads its header.
    ///
    /// - Parameter epoch: The start of the recording on this machine's clock; it shifts all instants, and changes
    ///   nothing else.
    public init(path: String, epoch: ContinuousClock.Instant = .now) throws(RecordingError) {
        try self.init(lines: try RecordingLines(path: path), epoch: epoch)
    }

    /// Reads a recording from memory.
    public init(bytes: [UInt8], epoch: ContinuousClock.Instant = .now) throws(RecordingError) {
        try self.init(lines: RecordingLines(bytes: bytes), epoch: epoch)
    }

    private init(lines: RecordingLines, epoch: ContinuousClock.Instant) throws(RecordingError) {
        self.lines = lines
        coder = InputCoder(epoch: epoch)
        guard let line = try lines.next() else {
            throw lines.error(.damaged("the file is empty"))
        }
        do throws(LineFault) {
            header = try RecordingHeader(line: line, epoch: epoch)
        } catch {
            throw lines.error(error.cause)
        }
    }

    /// Returns the next input; `nil` at the end.
    ///
    /// - Throws: The error of the next line; after that, the recording has ended.
    public mutating func next() throws(RecordingError) -> RecordedInput? {
        guard !isAtEnd else { return nil }
        isAtEnd = true
        guard let line = try lines.next() else { return nil }
        do throws(LineFault) {
            guard let record = try coder.record(line: line) else {
                isTruncated = true
                return nil
            }
            isAtEnd = false
            return RecordedInput(
                input: record.input,
                sequence: record.line.seq,
                published: record.line.published,
                line: lines.number
            )
        } catch {
            throw lines.error(error.cause)
        }
    }

    /// Returns an error for the last line.
    func error(_ reason: String) -> RecordingError { lines.error(.damaged(reason)) }
}

/// Replays the inputs of a recording in a state machine.
public struct RecordingReplay {
    /// The result of one input.
    public struct Step: Sendable {
        /// The input.
        public let recorded: RecordedInput
        /// The transitions, in order of publication.
        public let transitions: [Transition]
    }

    /// The current machine; `nil` before the first input.
    public private(set) var machine: ReachabilityMachine?
    /// The source of the inputs.
    public private(set) var reader: RecordingReader
    private var isAtEnd = false

    /// Creates a replay without starting it.
    public init(_ reader: RecordingReader) { self.reader = reader }

    /// Handles the next input; `nil` at the end.
    ///
    /// - Throws: The error of the next line; after that, the recording has ended.
    public mutating func next() throws(RecordingError) -> Step? {
        guard !isAtEnd else { return nil }
        isAtEnd = true
        guard let recorded = try reader.next() else { return nil }
        guard var machine else {
            guard case .configuration(let configuration, _) = recorded.input else {
                throw reader.error("the first input is not a configuration")
            }
            isAtEnd = false
            machine = ReachabilityMachine(configuration)
            return Step(recorded: recorded, transitions: [])
        }
        isAtEnd = false
        self.machine = nil
        let transitions = machine.take(recorded.input)
        // The agent calls this after every input, which clears the list.
        _ = machine.takeRechecks()
        self.machine = machine
        return Step(recorded: recorded, transitions: transitions)
    }
}

/// The lines of a recording, each read on demand.
private final class RecordingLines {
    /// The number of bytes read at once.
    private static let chunk = 256 << 10

    /// The number of the last returned or faulty line.
    private(set) var number = 0
    private let path: String
    private let descriptor: Int32?
    private var buffer: [UInt8]
    /// The offset of the next line in the buffer.
    private var start = 0
    private var isAtEnd: Bool

    init(path: String) throws(RecordingError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw RecordingError(operation: "open", path: path, cause: .errno(errno)) }
        self.path = path
        self.descriptor = descriptor
        buffer = []
        isAtEnd = false
    }

    init(bytes: [UInt8]) {
        path = "recording"
        descriptor = nil
        buffer = bytes
        isAtEnd = true
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Returns an error for the last returned line.
    func error(_ cause: RecordingError.Cause) -> RecordingError {
        RecordingError(operation: "read", path: path, line: number, cause: cause)
    }

    /// Returns the next line, without its end; `nil` at the end.
    func next() throws(RecordingError) -> ArraySlice<UInt8>? {
        number += 1
        var searched = start
        while true {
            if let end = endOfLine(from: searched) {
                guard end - start <= InputRecorder.longestLine else { throw error(.damaged(Self.tooLong)) }
                defer { start = end + 1 }
                return buffer[start..<end]
            }
            if isAtEnd {
                guard start < buffer.count else { return nil }
                start = buffer.count
                throw error(.damaged("the line is cut off"))
            }
            guard buffer.count - start <= InputRecorder.longestLine else { throw error(.damaged(Self.tooLong)) }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            try readMore()
        }
    }

    /// Returns the end of the next line; a line may be long, and memchr(3) is fast in every build.
    private func endOfLine(from start: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            guard let found = memchr(base + start, 0x0A, bytes.count - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private static let tooLong = "the line is longer than \(InputRecorder.longestLine >> 20) MiB"

    private func readMore() throws(RecordingError) {
        guard let descriptor else { return isAtEnd = true }
        var count = 0
        var failure: Int32 = 0
        let more = [UInt8](unsafeUninitializedCapacity: Self.chunk) { memory, initialized in
            repeat { count = read(descriptor, memory.baseAddress, Self.chunk) } while count < 0 && errno == EINTR
            failure = errno
            initialized = max(0, count)
        }
        buffer += more
        if count < 0 { throw error(.errno(failure)) }
        if count == 0 { isAtEnd = true }
    }
}
