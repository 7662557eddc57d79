internal import Glibc
internal import LinuxSupport

/// A listening socket and its file.
struct SocketFile: Sendable {
    /// The maximum length of a path in the kernel, without the terminating zero, in bytes.
    private static let maximumPathBytes = 107
    /// The maximum number of connections that wait to be accepted; further clients block in connect(2), in order.
    ///
    /// The queue is short because every client waits behind all of these connections: one that is closed again
    /// immediately still occupies its slot.
    static let backlog: CInt = 128

    /// The listening descriptor; its new owner must close it.
    let descriptor: CInt
    /// The file to remove at the end; `nil` for a socket passed by the service manager.
    private let path: String?
    private let identity: FileIdentity?

    /// Adopts a socket passed by the service manager.
    init(adopting descriptor: CInt) {
        self.descriptor = descriptor
        path = nil
        identity = nil
    }

    /// Creates a socket that listens under a name in a locked directory.
    ///
    /// The file gets its permissions under a temporary name before it is renamed, so they are never wrong, and a dead
    /// socket is replaced atomically.
    init(
        _ name: SocketName,
        in directory: SocketDirectory,
        mode: UInt32,
        group: gid_t?
    ) throws(StateSocketError) {
        let path = "\(directory.path)/\(name.fileName)"
        guard path.utf8.count <= Self.maximumPathBytes else {
            throw StateSocketError(operation: "bind", path: path, cause: .pathTooLong(limit: Self.maximumPathBytes))
        }
        try Self.checkIsFree(path)
        let temporary = "\(directory.path)/\(name.temporaryName)"
        // The lock guarantees that no other agent uses the temporary name: a socket there is left from a crash.
        try Self.checkIsFree(temporary)
        _ = unlink(temporary)

        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw StateSocketError(errnoOf: "open", path) }
        do throws(StateSocketError) {
            identity = try Self.bind(descriptor, temporary, mode: mode, group: group)
            guard listen(descriptor, Self.backlog) == 0 else { throw StateSocketError(errnoOf: "listen on", path) }
            guard rename(temporary, path) == 0 else { throw StateSocketError(errnoOf: "rename to", path) }
            guard FileIdentity(at: path) == identity else {
                throw StateSocketError(operation: "rename to", path: path, cause: .replaced)
            }
        } catch {
            close(descriptor)
            _ = unlink(temporary)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// `false` once something has removed or replaced the file, so that no client finds the socket.
    var isInPlace: Bool {
        guard let path else { return true }
        return FileIdentity(at: path) == identity
    }

    /// Removes the file, if it is still this socket's.
    func remove() {
        guard let path, isInPlace else { return }
        _ = unlink(path)
    }

    private static func bind(
        _ descriptor: CInt,
        _ path: String,
        mode: UInt32,
        group: gid_t?
    ) throws(StateSocketError) -> FileIdentity {
        // Linux creates the file with the mode of the socket's own inode, limited by the umask: private at first.
        guard fchmod(descriptor, 0o600) == 0 else { throw StateSocketError(errnoOf: "set the mode of", path) }
        let isBound = withAddress(of: path) { Glibc.bind(descriptor, $0, $1) == 0 }
        guard isBound else { throw StateSocketError(errnoOf: "bind", path) }
        return try setAccess(ofSocketAt: path, mode: mode, group: group)
    }

    /// Gives a socket that was bound at a path its owner, group and mode.
    ///
    /// By a descriptor, because a user who can write to the directory could have put a symbolic link, or another file, in
    /// its place by now.
    ///
    /// - Returns: The identity of the socket.
    static func setAccess(
        ofSocketAt path: String,
        mode: UInt32,
        group: gid_t?
    ) throws(StateSocketError) -> FileIdentity {
        let file = open(path, KernelConstants.openPath | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw StateSocketError(errnoOf: "open", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw StateSocketError(errnoOf: "look at", path) }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid(), status.st_nlink == 1 else {
            throw StateSocketError(operation: "bind", path: path, cause: .replaced)
        }
        ParentDirectory.giveOwnership(of: file, in: ParentDirectory.of(path))
        if let group, fchownat(file, "", uid_t.max, group, KernelConstants.emptyPath) != 0 {
            let cause: StateSocketError.Cause = errno == EPERM ? .foreignGroup(group) : .errno(errno)
            throw StateSocketError(operation: "set the group of", path: path, cause: cause)
        }
        // After the group: chown(2) may remove bits. fchmod(2) takes no descriptor of O_PATH.
        guard chmod("/proc/self/fd/\(file)", mode & 0o777) == 0 else {
            throw StateSocketError(errnoOf: "set the mode of", path)
        }
        return FileIdentity(status)
    }

    /// Checks that a path in a locked directory does not exist, or is a socket without a listener.
    private static func checkIsFree(_ path: String) throws(StateSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StateSocketError(errnoOf: "look at", path) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw StateSocketError(operation: "bind", path: path, cause: .notASocket)
        }
        let client = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard client >= 0 else { throw StateSocketError(errnoOf: "open a socket for", path) }
        defer { close(client) }
        let number: CInt = withAddress(of: path) { connect(client, $0, $1) == 0 ? 0 : errno }
        switch number {
        // A socket with a full queue of connections has a listener too.
        case 0, EAGAIN: throw StateSocketError(operation: "bind", path: path, cause: .inUse(by: nil))
        case ECONNREFUSED, ENOENT: return
        // Left by another user's agent, such as root's: one that runs would have the lock.
        case EACCES where status.st_uid != geteuid(): return
        case EPROTOTYPE: throw StateSocketError(operation: "bind", path: path, cause: .notASocket)
        default: throw StateSocketError(errnoOf: "connect to", path, number)
        }
    }

    private static func withAddress<Result>(
        of path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(maximumPathBytes)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The names of the sockets.
enum SocketName: String, Sendable, CaseIterable {
    /// The event stream.
    case events
    /// Requests and replies.
    case control
    /// Metrics, the status page and the event stream over HTTP.
    case http

    /// The file's name.
    var fileName: String { "\(rawValue).sock" }
    /// The name of the socket before it has its permissions; not longer than the file's name.
    var temporaryName: String { ".\(rawValue).new" }
}

/// The sockets' directory, locked for one agent.
struct SocketDirectory: Sendable {
    /// The lock's file, which is never deleted, because then two agents could lock two files.
    private static let lockName = "agent.lock"

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
        // The agent of the directory's owner could not open root's.
        ParentDirectory.giveOwnership(of: lock, in: path)
        // Only for the error message of another agent.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(lock, 0) == 0 { _ = pwrite(lock, text, text.count, 0) }
    }

    /// `false` once something has removed or replaced the lock's file, which then excludes no other agent.
    var isLocked: Bool { FileIdentity(at: "\(path)/\(Self.lockName)") == FileIdentity(of: lock) }

    /// Unlocks the directory for another agent.
    func unlock() {
        // A child that has not started its program yet has a copy of the descriptor, and with it of the lock.
        flock(lock, LOCK_UN)
        close(lock)
    }

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
        guard ParentDirectory.makePublicDirectory(path) || errno == EEXIST else {
            throw StateSocketError(errnoOf: "make", path)
        }
    }

    private static func process(in lock: CInt) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// A group by name or number.
enum SocketGroup {
    /// Returns the group's number.
    static func number(of group: String, for path: String) throws(StateSocketError) -> gid_t {
        if let number = gid_t(group), number != .max { return number }
        let found: gid_t?
        do throws(SystemError) {
            found = try AccountDatabase.group(named: group)
        } catch {
            let cause = StateSocketError.Cause.failedLookup(group: group, errno: error.errno)
            throw StateSocketError(operation: "set the group of", path: path, cause: cause)
        }
        if let found { return found }
        throw StateSocketError(operation: "set the group of", path: path, cause: .unknownGroup(group))
    }
}
