internal import Glibc
internal import LinuxSupport
internal import Sinks

/// A file with a secret, read for each connection, so that a new secret takes effect without a restart.
enum CredentialFile {
    /// The maximum number of bytes that are read.
    static let maximumBytes = 1 << 16

    /// Returns the first line, without the newline.
    ///
    /// - Throws: ``TransportFailure`` with the code `credentials_unreadable`, which names the file, but never contains
    ///   its content.
    static func firstLine(of path: String) throws(TransportFailure) -> String {
        let bytes = try contents(of: path)
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw failure(path, "the first line is empty") }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw failure(path, "the first line is not text")
        }
        return text
    }

    /// Returns the JWT and the seed of a file that a library reads (`.creds`): its long lines of one word.
    ///
    /// - Throws: ``TransportFailure`` with the code `credentials_unreadable`.
    static func secrets(of path: String) throws(TransportFailure) -> [String] {
        let lines = try contents(of: path).split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        return lines.filter { $0.count >= 32 && !$0.contains(UInt8(ascii: " ")) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Checks that a library can read the file at a path, without waiting for a pipe or a device.
    ///
    /// - Throws: ``TransportFailure`` with the code `credentials_unreadable`.
    static func check(_ path: String) throws(TransportFailure) { close(try opened(path)) }

    /// Creates a failure that names the file.
    static func failure(_ path: String, _ reason: String) -> TransportFailure {
        TransportFailure(code: "credentials_unreadable", detail: "\(path) cannot be used: \(reason)")
    }

    private static func contents(of path: String) throws(TransportFailure) -> [UInt8] {
        let descriptor = try opened(path)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw failure(path, SystemError(errno: errno).description) }
            guard read > 0 else { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    private static func opened(_ path: String) throws(TransportFailure) -> Int32 {
        // A pipe without a writer must not keep the sink waiting.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, SystemError(errno: errno).description) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw failure(path, "it is not a regular file")
        }
        return descriptor
    }
}
