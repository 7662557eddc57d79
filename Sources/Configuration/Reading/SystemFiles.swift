internal import Glibc
internal import LinuxSupport
internal import Nettle

/// Reads the configuration files and the files that they name; rejects special files instead of waiting for them.
package enum RegularFile {
    /// The reason that a file cannot be read, as a predicate, such as `cannot be opened: Permission denied`.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// The error number (errno(3)); 0 if there is none.
        var code: Int32 = 0
    }

    /// Reads the bytes of a file; a file with more than `max` bytes is an error.
    ///
    /// - Parameter isSecret: True to reject a file that others can read or write.
    package static func bytes(of path: String, max: Int, isSecret: Bool = false) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK open(2) would wait for a writer of a FIFO before the FIFO could be rejected.
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { throw failure("cannot be opened") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("cannot be examined") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(description: "is not a regular file") }
        if isSecret, status.st_mode & 0o006 != 0 {
            throw Failure(description: "can be read or written by others: use chmod o-rw")
        }
        guard status.st_size <= max else { throw tooLarge(max) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = retrying { read(descriptor, &chunk, chunk.count) }
            guard count >= 0 else { throw failure("cannot be read") }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= max else { throw tooLarge(max) }
        }
    }

    /// Returns whether the path leads to the null device, which disables a file of the vendor.
    static func isMask(_ path: String) -> Bool {
        var (status, null) = (stat(), stat())
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, stat("/dev/null", &null) == 0 else {
            return false
        }
        return status.st_rdev == null.st_rdev
    }

    /// Returns whether the path certainly does not exist; one that cannot be looked for may.
    static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno) }

    /// Returns the names in a directory, sorted by their bytes; empty if the directory does not exist.
    static func listing(of directory: String) throws(Failure) -> [String] {
        do throws(SystemError) {
            return try DirectoryStream.names(in: directory)
                .sorted { $0.lexicographicallyPrecedes($1) }
                .map { String(decoding: $0, as: UTF8.self) }
        } catch {
            if error.errno == ENOENT { return [] }
            throw failure("cannot be listed", code: error.errno)
        }
    }

    /// Returns the SHA-256 in hexadecimal digits.
    static func digest(_ bytes: [UInt8]) -> String { SHA2.sha256.hash(bytes).hexadecimal }

    private static func tooLarge(_ max: Int) -> Failure { Failure(description: "is larger than \(max) bytes") }

    private static func failure(_ what: String, code: Int32 = errno) -> Failure {
        Failure(
            description: "\(what): \(SystemError(errno: code))",
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
    /// Returns whether the path is neither a regular file nor a directory: a FIFO, a device, a socket.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }
}

/// The directory in which the service manager stores the credentials of a service (`LoadCredential=` in
/// systemd.exec(5)).
struct CredentialDirectory: Sendable {
    /// The prefix of a path that refers to a credential by its name.
    static let scheme = "credential:"
    /// The directory of the agent's service while it runs.
    static let service = "/run/credentials/reachagent.service"
    /// The maximum length of a file name (NAME_MAX).
    private static let longestName = 255

    let path: String

    /// The directory of this process, or else that of the agent's service, for a command on a terminal.
    static var current: CredentialDirectory {
        guard let value = getenv("CREDENTIALS_DIRECTORY"), value.pointee == CChar(UInt8(ascii: "/")) else {
            return CredentialDirectory(path: service)
        }
        return CredentialDirectory(path: String(cString: value))
    }

    /// Returns the path to which `credential:NAME` refers; `nil` for any other string.
    func path(of text: String) throws(ValueError) -> String? {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let name = text.dropFirst(Self.scheme.count)
        let isName = !name.isEmpty && name.utf8.count <= Self.longestName && !name.utf8.contains(UInt8(ascii: "/"))
        guard isName, name != ".", name != ".." else {
            throw ValueError(message: "'\(text)' is not a valid credential; the form is \(Self.scheme)NAME")
        }
        return "\(path)/\(name)"
    }
}

/// The users and groups that a configuration names.
enum Account {
    /// Returns whether the user certainly does not exist; a number needs no user, and a failed lookup proves nothing.
    static func isUnknown(user name: String) -> Bool {
        guard UInt32(name) == nil else { return false }
        do throws(SystemError) { return try AccountDatabase.user(named: name) == nil } catch { return false }
    }

    /// Returns whether the group certainly does not exist; the highest number means none (chown(2)).
    static func isUnknown(group name: String) -> Bool {
        guard UInt32(name).map({ $0 == .max }) ?? true else { return false }
        do throws(SystemError) { return try AccountDatabase.group(named: name) == nil } catch { return false }
    }
}
