internal import Glibc

/// The file of a recording: complete lines up to a limit, and nothing after a failure.
struct RecordingFile: Sendable {
    /// The reason a line was not written.
    enum Refusal: Error, Hashable {
        /// The recording would exceed its maximum size.
        case full
        /// The kernel's error (errno(3)).
        case errno(Int32)
    }

    private let descriptor: Int32
    private let limit: Int
    private var length = 0

    /// Creates the file, readable only by its owner.
    ///
    /// - Throws: Also when the path exists, even as a broken link.
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
