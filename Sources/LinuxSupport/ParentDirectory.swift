internal import Glibc

/// The directory of a file or directory that is created.
package enum ParentDirectory {
    /// Returns the directory of a file by its path.
    package static func of(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Gives a file or directory that root has made to the owner of its directory, whose programs could neither read nor
    /// replace it.
    package static func giveOwnership(of descriptor: Int32, in directory: String) {
        var (owner, entry) = (stat(), stat())
        guard geteuid() == 0, stat(directory, &owner) == 0, owner.st_uid != 0, fstat(descriptor, &entry) == 0 else {
            return
        }
        // A file with another name elsewhere would be given away there too.
        let isFile = entry.st_mode & S_IFMT == S_IFREG && entry.st_nlink == 1
        guard entry.st_uid == 0, isFile || entry.st_mode & S_IFMT == S_IFDIR else { return }
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }

    /// Flushes the entries of a directory to the disk.
    ///
    /// - Throws: The error of open(2) or fsync(2).
    package static func sync(_ directory: String) throws(SystemError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        // Some file systems have nothing to flush, and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw SystemError(errno: errno) }
    }
}
