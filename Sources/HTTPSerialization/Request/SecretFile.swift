internal import Glibc

/// Reads files that contain a secret.
package enum SecretFile {
    /// Returns the bytes of a regular file that others can neither read nor write; its group may, as with
    /// `root:reachagent 0640`.
    ///
    /// The file is checked and read through one descriptor, so that it cannot be replaced in between.
    /// - Throws: ``RequestError/file(path:reason:)``, which never shows the file's content.
    package static func bytes(of path: String, atMost most: Int) throws(RequestError) -> [UInt8] {
        let file = try OpenFile(path: path)
        guard file.mode & mode_t(0o006) == 0 else {
            throw .file(path: path, reason: "can be read or written by others: use chmod o-rw")
        }
        guard file.length <= most else { throw .file(path: path, reason: "is longer than \(most) bytes") }
        return try file.read(at: 0, upTo: most)
    }
}
