/// An input in a recording.
public struct RecordedInput: Sendable {
    /// The input.
    public let input: InputRecord
    /// The number of the first event of its transitions, if there are any; `nil` if not recorded.
    public let sequence: UInt64?
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
    /// - Throws: The error of the next line; after that the end.
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

    /// Returns an error for the last line.
    func error(_ reason: String) -> RecordingError { lines.error(.damaged(reason)) }
}
