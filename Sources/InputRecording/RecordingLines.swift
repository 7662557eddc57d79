internal import Glibc

/// The lines of a recording, each read on demand.
final class RecordingLines {
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
