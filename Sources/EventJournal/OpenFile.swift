internal import Glibc

/// An open file, closed with its last reference: a segment may be closed while the other thread still flushes it.
final class OpenFile: Sendable {
    /// The descriptor; do not close it.
    let descriptor: Int32
    /// The path at the time of opening.
    let path: String

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Returns the identity and the size of the file.
    func identity() -> FileIdentity? {
        var entry = stat()
        guard fstat(descriptor, &entry) == 0 else { return nil }
        return FileIdentity(entry)
    }

    /// Truncates the file to `size` bytes.
    func truncate(to size: UInt64) throws(JournalError) {
        guard ftruncate(descriptor, off_t(clamping: size)) != 0 else { return }
        throw JournalError(operation: "truncate", path: path, cause: .errno(errno))
    }
}

/// The identity of a file, whatever its name, and its size.
struct FileIdentity: Sendable, Hashable {
    let device: dev_t
    let inode: ino_t
    let size: UInt64
    /// `true` for a regular file.
    let isRegular: Bool

    init(_ entry: stat) {
        device = entry.st_dev
        inode = entry.st_ino
        size = UInt64(clamping: entry.st_size)
        isRegular = entry.st_mode & S_IFMT == S_IFREG
    }

    /// Returns whether both are the same file, whatever their size.
    func isSameFile(as other: FileIdentity?) -> Bool { other?.device == device && other?.inode == inode }
}
