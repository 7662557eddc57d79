internal import Glibc
internal import LinuxSupport

/// The machine's lock on transfers, held until it is released or the process ends in any way.
///
/// The agent and `reachagent measure` take it: two transfers at the same time would measure each other. It is a file
/// beside the sockets, for the users that may use those, and is never deleted, because then two processes could lock
/// two files.
final class TransferLock: Sendable {
    static let fileName = "transfer.lock"
    private static let mode: mode_t = 0o660

    /// The result of an attempt.
    enum Attempt: Sendable {
        /// The lock was taken.
        case taken(TransferLock)
        /// Another process holds it; its process ID, if it could write that down.
        case busy(Int32?)
        /// There is no such directory, or no permission: no process that holds the lock can be detected.
        case unavailable(SystemError)
    }

    private let descriptor: CInt

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit {
        release()
        close(descriptor)
    }

    /// Unlocks: closing is not enough while a child that is about to run a program has a copy of the descriptor
    /// (flock(2)).
    func release() { flock(descriptor, LOCK_UN) }

    /// Takes the lock if it is free.
    ///
    /// - Parameters:
    ///   - directory: The directory of the sockets.
    ///   - group: The group of a new file, by name or number; nil for that of the directory or of the process.
    static func take(in directory: String, group: String? = nil) -> Attempt {
        let descriptor = open(in: directory, group: group)
        guard descriptor >= 0 else { return .unavailable(SystemError(errno: errno)) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            defer { close(descriptor) }
            return number == EWOULDBLOCK ? .busy(holder(descriptor)) : .unavailable(SystemError(errno: number))
        }
        // Only for the message of another process.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
        return .taken(TransferLock(descriptor))
    }

    private static func open(in directory: String, group: String?) -> CInt {
        let path = "\(directory)/\(fileName)"
        let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let created = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | flags, mode)
        if created >= 0 {
            admit(created, directory, group)
            return created
        }
        let descriptor = Glibc.open(path, O_RDWR | flags)
        // A lock needs no permission to write.
        return descriptor < 0 && errno == EACCES ? Glibc.open(path, O_RDONLY | flags) : descriptor
    }

    /// Lets the users of the sockets use a new file, independently of its creator and the umask.
    private static func admit(_ descriptor: CInt, _ directory: String, _ group: String?) {
        let number = group.flatMap { gid_t($0) ?? (try? AccountDatabase.group(named: $0)) }
        var status = stat()
        if geteuid() == 0, stat(directory, &status) == 0 {
            _ = fchown(descriptor, status.st_uid, number ?? status.st_gid)
        } else if let number {
            _ = fchown(descriptor, uid_t.max, number)
        }
        // After the group: chown(2) may remove bits.
        _ = fchmod(descriptor, mode)
    }

    private static func holder(_ descriptor: CInt) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
