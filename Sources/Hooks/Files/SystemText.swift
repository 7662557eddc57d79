internal import Glibc

/// Text for values of the system.
enum SystemText {
    /// Returns the message for an errno (strerror(3)).
    static func of(_ error: Int32) -> String { strerror(error).map { String(cString: $0) } ?? "error \(error)" }

    /// Returns the permissions in the format of chmod(1): `0755`.
    static func mode(_ mode: mode_t) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Returns the type of a file.
    static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a folder"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFLNK: "a link"
        default: "no regular file"
        }
    }
}
