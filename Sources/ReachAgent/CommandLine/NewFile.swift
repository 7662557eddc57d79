internal import Glibc
internal import LinuxSupport

/// A file that must not exist yet.
enum NewFile {
    /// Writes a text to a new file and creates its parent directories; a partially written file is removed.
    ///
    /// - Parameters:
    ///   - text: The content.
    ///   - path: The file, which must not exist.
    ///   - isPublic: `true` if every user may read the file, whatever the umask is.
    static func write(_ text: String, to path: String, isPublic: Bool = false) throws(SystemError) {
        try makeDirectories(above: path, isPublic: isPublic)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        if isPublic { fchmod(descriptor, 0o644) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                let code = errno
                unlink(path)
                throw SystemError(errno: code)
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static func makeDirectories(above path: String, isPublic: Bool) throws(SystemError) {
        for end in path.indices.dropFirst() where path[end] == "/" {
            let directory = String(path[..<end])
            let isMade = isPublic ? ParentDirectory.makePublicDirectory(directory) : mkdir(directory, 0o755) == 0
            guard !isMade, errno != EEXIST else { continue }
            let code = errno
            // An existing directory need not be writable for the user, which mkdir(2) may report before EEXIST.
            guard access(directory, F_OK) == 0 else { throw SystemError(errno: code) }
        }
    }
}
