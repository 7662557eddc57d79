internal import Glibc

/// The lines of a recording, each read when it is asked for.
final class RecordingLines {
    /// How much is read at once.
    private static let chunk = 256 << 10

    /// The number of the line that was given last, or is at fault.
    private(set) var number = 0
    private let path: String
    private let descriptor: Int32?
    private var buffer: [UInt8]
    /// Where in the buffer the next line begins.
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

    /// An error of the line that was given last.
    func error(_ cause: RecordingError.Cause) -> RecordingError {
        RecordingError(operation: "read", path: path, line: number, cause: cause)
    }

    /// The next line, without its end; `nil` when there is none.
    func next() throws(RecordingError) -> ArraySlice<UInt8>? {
        number += 1
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
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

    private static let tooLong = "the line is longer than \(InputRecorder.longestLine >> 20) MiB"

    private func readMore() throws(RecordingError) {
        guard let descriptor else { return isAtEnd = true }
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
        var count: Int
        repeat {
            count = buffer[old...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        } while count < 0 && errno == EINTR
        let failure = count < 0 ? errno : 0
        buffer.removeLast(Self.chunk - max(0, count))
        if count < 0 { throw error(.errno(failure)) }
        if count == 0 { isAtEnd = true }
    }
}
