internal import Glibc

/// Excludes a second writer of the same journal; held until it is released, or the process ends in any way.
final class JournalLock: Sendable {
    private static let name = "lock"
    private let file: OpenFile

    private init(_ file: OpenFile) { self.file = file }

    /// Unlocks: closing is not enough while a child that is about to run a program has a copy of the descriptor
    /// (flock(2)).
    deinit { flock(file.descriptor, LOCK_UN) }

    /// Takes the lock, and writes the process ID into its file.
    ///
    /// - Throws: ``JournalError/Cause/inUse(by:)`` when another agent holds it; another error if that cannot be
    ///   determined.
    static func take(in directory: JournalDirectory) throws(JournalError) -> JournalLock {
        for _ in 0..<8 {
            let file = try open(in: directory)
            guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else {
                    throw JournalError(operation: "lock", path: file.path, cause: .errno(errno))
                }
                throw JournalError(operation: "write", path: directory.path, cause: .inUse(by: holder(in: directory)))
            }
            let lock = JournalLock(file)
            // Between open and flock the file may have been deleted, and another one locked.
            guard lock.isCurrent(in: directory) else { continue }
            // Only for the error message of another agent: a full disk may lack it.
            let holder = Array("\(getpid())\n".utf8)
            ftruncate(file.descriptor, 0)
            _ = pwrite(file.descriptor, holder, holder.count, 0)
            return lock
        }
        throw JournalError(
            operation: "lock",
            path: directory.path(of: name),
            cause: .malformed("it is replaced again and again")
        )
    }

    /// Returns the process ID in the file.
    static func holder(in directory: JournalDirectory) -> Int32? {
        directory.read(name, atMost: 32).flatMap { content in
            Int32(String(decoding: content.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }

    private static func open(in directory: JournalDirectory) throws(JournalError) -> OpenFile {
        do throws(JournalError) {
            return try directory.open(name, O_RDWR | O_CREAT)
        } catch {
            // Even a read-only lock file keeps two agents apart.
            guard let file = try? directory.open(name, O_RDONLY) else { throw error }
            return file
        }
    }

    /// Returns whether the lock's file is still the one in the directory.
    func isCurrent(in directory: JournalDirectory) -> Bool {
        file.status()?.isSameFile(as: directory.status(of: Self.name)) ?? false
    }
}
