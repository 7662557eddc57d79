/// An input as a recording holds it.
public struct RecordedInput: Sendable {
    /// The input.
    public let input: InputRecord
    /// The number that the first event of its transitions got, or would have got; `nil` where nobody wrote it down.
    public let sequence: UInt64?
    /// The number of the line, from 1.
    public let line: Int
}

/// Reads a recording, one line after the other; nothing but the line at hand is held in memory.
///
/// Everything that is read is checked: a file that is damaged, or made to do harm, gives an error with the line's number.
public struct RecordingReader {
    /// The first line.
    public let header: RecordingHeader
    /// Whether the recorder had to end early: known when ``next()`` has given `nil`.
    public private(set) var isTruncated = false

    private let lines: RecordingLines
    private let coder: InputCoder
    private var isAtEnd = false

    /// Opens a recording and reads its header.
    ///
    /// - Parameter epoch: The moment on this machine's clock that stands for the beginning; its choice changes nothing but
    ///   the instants, whose distances stay.
    public init(path: String, epoch: ContinuousClock.Instant = .now) throws(RecordingError) {
        try self.init(lines: try RecordingLines(path: path), epoch: epoch)
    }

    /// Reads a recording that is in memory.
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

    /// The next input; `nil` at the end.
    ///
    /// - Throws: What is wrong with the next line; after that there is nothing more.
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
            return RecordedInput(input: record.input, sequence: record.sequence, line: lines.number)
        } catch {
            throw lines.error(error.cause)
        }
    }

    /// An error of the line that was read last.
    func error(_ reason: String) -> RecordingError { lines.error(.damaged(reason)) }
}
