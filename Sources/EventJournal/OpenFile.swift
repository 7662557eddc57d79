internal import Glibc

/// An open file, closed with its last owner: a segment may be closed while the other thread still forces it to the disk.
final class OpenFile: Sendable {
    /// The descriptor; do not close it.
    let descriptor: Int32
    /// Where the file was when it was opened.
    let path: String

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Which file it is, and how long.
    func identity() -> FileIdentity? {
        var entry = stat()
        guard fstat(descriptor, &entry) == 0 else { return nil }
        return FileIdentity(entry)
    }

    /// Cuts the file behind `size` bytes.
    func truncate(to size: UInt64) throws(JournalError) {
        guard ftruncate(descriptor, off_t(clamping: size)) != 0 else { return }
        throw JournalError(operation: "truncate", path: path, cause: .errno(errno))
    }
}

/// Which file it is, whatever its name, and how long.
struct FileIdentity: Sendable, Hashable {
    let device: dev_t
    let inode: ino_t
    let size: UInt64
    /// Whether it is a plain file.
    let isRegular: Bool

    init(_ entry: stat) {
        device = entry.st_dev
        inode = entry.st_ino
        size = UInt64(clamping: entry.st_size)
        isRegular = entry.st_mode & S_IFMT == S_IFREG
    }

    /// Whether both are the same file, however long.
    func isSameFile(as other: FileIdentity?) -> Bool { other?.device == device && other?.inode == inode }
}
