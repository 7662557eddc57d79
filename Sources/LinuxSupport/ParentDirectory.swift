internal import CLinux
internal import Glibc

/// The directory of a file or directory that is created.
package enum ParentDirectory {
    /// Returns the directory of a file by its path.
    package static func of(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a directory, as the owner of the one above where root would create it: that owner's programs could not
    /// read root's.
    ///
    /// It is not given away afterwards, because the owner could have put another directory in its place by then. Where the
    /// owner may not create it, it is root's.
    ///
    /// - Returns: `false` with errno on failure.
    package static func makeDirectory(_ path: String, mode: UInt32) -> Bool {
        var owner = stat()
        if geteuid() == 0, stat(of(path), &owner) == 0, owner.st_uid != 0 {
            if clinux_make_directory_as(path, mode, owner.st_uid, owner.st_gid) == 0 { return true }
            guard errno == EACCES else { return false }
        }
        return mkdir(path, mode) == 0
    }

    /// Gives a file that root has made to the owner of its directory, whose programs could neither read nor replace it.
    package static func giveOwnership(of descriptor: Int32, in directory: String) {
        var (owner, entry) = (stat(), stat())
        guard geteuid() == 0, stat(directory, &owner) == 0, owner.st_uid != 0, fstat(descriptor, &entry) == 0 else {
            return
        }
        let isFile = [S_IFREG, S_IFSOCK].contains(entry.st_mode & S_IFMT)
        // A file with another name elsewhere would be given away there too.
        guard entry.st_uid == 0, entry.st_nlink == 1, isFile else { return }
        // fchown(2) takes no descriptor of O_PATH, and the file of a socket has no other.
        _ = fchownat(descriptor, "", owner.st_uid, owner.st_gid, KernelConstants.emptyPath)
    }

    /// Gives a socket that root has bound to the owner of its directory, likewise.
    package static func giveOwnership(ofSocketAt path: String) {
        // By a descriptor, because the owner could have put a symbolic link in its place by now.
        let descriptor = open(path, KernelConstants.openPath | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        giveOwnership(of: descriptor, in: of(path))
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
