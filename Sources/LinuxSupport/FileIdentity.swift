package import Glibc

/// The identity of a file, whatever its names are: its device and inode, which a later file may have once it is removed.
package struct FileIdentity: Sendable, Hashable {
    private let device: dev_t
    private let inode: ino_t

    /// Takes the identity from a file's status.
    package init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }

    /// Reads the identity of the file at a path; `nil` if there is none, or it cannot be examined.
    ///
    /// - Parameter followsLink: `true` for the file that a symbolic link leads to instead of the link.
    package init?(at path: String, followsLink: Bool = false) {
        var status = stat()
        guard followsLink ? stat(path, &status) == 0 : lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the identity of an open file.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}
