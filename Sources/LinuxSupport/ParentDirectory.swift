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

    /// Creates a directory that all users can read, whatever the umask is.
    ///
    /// Its mode is set by descriptors, because the owner of the directory above could have put another entry in its place
    /// by then.
    ///
    /// - Returns: `false` with errno on failure, also if it exists.
    package static func makePublicDirectory(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        var path = path
        while path.utf8.count > 1, path.utf8.last == slash { path.removeLast() }
        let parent = open(of(path), KernelConstants.openPath | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return false }
        defer { close(parent) }
        let name = path.utf8.lastIndex(of: slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        guard mkdirat(parent, name, 0o755) == 0 else { return false }
        let directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        var status = stat()
        guard fstat(directory, &status) == 0 else { return false }
        guard status.st_uid == geteuid() else {
            errno = EPERM
            return false
        }
        return fchmod(directory, 0o755) == 0
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
