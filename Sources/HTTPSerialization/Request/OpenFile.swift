package import Glibc

/// A regular file that is open for reading; closed with the last reference.
///
/// The descriptor never changes and its position is not used, so a file may be shared.
package final class OpenFile: Sendable {
    /// The path of the file.
    package let path: String
    /// The length at the time of opening.
    package let length: Int
    /// The type and permissions at the time of opening.
    package let mode: mode_t
    private let descriptor: CInt

    /// Opens a file.
    ///
    /// - Throws: ``RequestError/file(path:reason:)`` unless it is a regular file that can be read,
    ///   ``RequestError/shortage(path:reason:)`` for lack of descriptors or memory.
    package init(path: String) throws(RequestError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .file(path: path, reason: "is not a path") }
        // Without O_NONBLOCK opening a FIFO would wait for a writer before it could be rejected.
        let descriptor = Self.retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { throw Self.failure(path, "opened", errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure(path, "examined", code)
        }
        guard status.st_mode & S_IFMT == S_IFREG, let length = Int(exactly: status.st_size), length >= 0 else {
            close(descriptor)
            throw .file(path: path, reason: "is not a regular file")
        }
        self.path = path
        self.length = length
        self.mode = status.st_mode
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Reads at most `count` bytes at an offset; none at the end of the file.
    ///
    /// - Throws: ``RequestError/file(path:reason:)`` when read(2) fails, ``RequestError/shortage(path:reason:)`` for lack
    ///   of memory.
    package func read(at offset: Int, upTo count: Int) throws(RequestError) -> [UInt8] {
        var code: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
            let result = Self.retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
            if result < 0 { code = errno }
            filled = max(result, 0)
        }
        guard code == 0 else { throw Self.failure(path, "read", code) }
        return bytes
    }

    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private static func failure(_ path: String, _ operation: String, _ code: CInt) -> RequestError {
        let reason = "cannot be \(operation): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
        let isShortage = [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(code)
        return isShortage ? .shortage(path: path, reason: reason) : .file(path: path, reason: reason)
    }
}

/// Reads files that contain a secret.
package enum SecretFile {
    /// Returns the bytes of a regular file that others can neither read nor write; its group may, as with
    /// `root:reachagent 0640`.
    ///
    /// The file is checked and read through one descriptor, so that it cannot be replaced in between.
    /// - Throws: ``RequestError/file(path:reason:)`` or ``RequestError/shortage(path:reason:)``, which never show the
    ///   file's content.
    package static func bytes(of path: String, atMost maximum: Int) throws(RequestError) -> [UInt8] {
        let file = try OpenFile(path: path)
        guard file.mode & mode_t(0o006) == 0 else {
            throw .file(path: path, reason: "can be read or written by others: use chmod o-rw")
        }
        guard file.length <= maximum else { throw .file(path: path, reason: "is longer than \(maximum) bytes") }
        return try file.read(at: 0, upTo: maximum)
    }
}
