internal import Glibc

/// The sockets' directory, locked for one agent.
struct SocketDirectory: Sendable {
    /// The lock's file, which is never deleted, because then two agents could lock two files.
    static let lockName = "agent.lock"

    let path: String
    private let lock: CInt

    /// Creates the directory if it is missing, and locks it.
    init(locking path: String) throws(StateSocketError) {
        self.path = path
        try Self.make(path)
        let file = "\(path)/\(Self.lockName)"
        lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard lock >= 0 else { throw StateSocketError(errnoOf: "open", file) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            defer { close(lock) }
            guard number == EWOULDBLOCK else { throw StateSocketError(errnoOf: "lock", file, number) }
            throw StateSocketError(operation: "lock", path: file, cause: .inUse(by: Self.process(in: lock)))
        }
        // Only for the error message of another agent.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(lock, 0) == 0 { _ = pwrite(lock, text, text.count, 0) }
    }

    /// Unlocks the directory for another agent.
    func unlock() { close(lock) }

    private static func make(_ path: String) throws(StateSocketError) {
        var status = stat()
        guard stat(path, &status) != 0 else {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw StateSocketError(errnoOf: "use", path, ENOTDIR) }
            return
        }
        guard errno == ENOENT else { throw StateSocketError(errnoOf: "use", path) }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex, path.index(after: slash) != path.endIndex {
            try make(String(path[..<slash]))
        }
        guard mkdir(path, 0o755) == 0 else {
            guard errno == EEXIST else { throw StateSocketError(errnoOf: "make", path) }
            return
        }
        // The process's umask may have removed bits.
        guard chmod(path, 0o755) == 0 else { throw StateSocketError(errnoOf: "set the mode of", path) }
    }

    private static func process(in lock: CInt) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
