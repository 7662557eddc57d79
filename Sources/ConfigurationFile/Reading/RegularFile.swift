internal import Crypto
internal import Glibc

/// Reads files that a configuration is made of or names; nothing that is no regular file is waited for.
enum RegularFile {
    /// Why a file cannot be read: a predicate, such as `cannot be opened: Permission denied`.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// The number of the error (errno(3)); 0 where there is none.
        var code: Int32 = 0
    }

    /// The bytes of a file; one with more than `most` is refused.
    ///
    /// - Parameter isSecret: Whether a file that others can read or write is refused.
    static func bytes(of path: String, atMost most: Int, isSecret: Bool = false) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK a FIFO would wait for a writer before it could be refused.
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { throw failure("cannot be opened") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("cannot be examined") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(description: "is not a regular file") }
        if isSecret, status.st_mode & 0o006 != 0 {
            throw Failure(description: "can be read or written by others: use chmod o-rw")
        }
        guard status.st_size <= most else { throw tooLarge(most) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = retrying { read(descriptor, &chunk, chunk.count) }
            guard count >= 0 else { throw failure("cannot be read") }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= most else { throw tooLarge(most) }
        }
    }

    /// Whether the path leads to the null device, which is how a file of the vendor's is switched off.
    static func isMask(_ path: String) -> Bool {
        var (status, null) = (stat(), stat())
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, stat("/dev/null", &null) == 0 else {
            return false
        }
        return status.st_rdev == null.st_rdev
    }

    /// Whether there is anything at the path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in a folder, sorted by their bytes; none when it cannot be listed.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// SHA-256 in hexadecimal digits.
    static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }

    private static func tooLarge(_ most: Int) -> Failure { Failure(description: "is larger than \(most) bytes") }

    private static func failure(_ what: String) -> Failure {
        let code = errno
        return Failure(
            description: "\(what): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")",
            code: code
        )
    }

    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

extension RegularFile {
    /// Whether something is there that is neither a regular file nor a folder: a FIFO, a device, a socket.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }
}
