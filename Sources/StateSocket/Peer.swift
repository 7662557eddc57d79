internal import ForeignText
internal import Glibc

/// Who is at the other end of a connection, as it was when it connected.
struct Peer: Sendable, Hashable {
    var process: Int32
    var user: UInt32
    var group: UInt32
    /// The name of the process as it is shown; `nil` when it cannot be seen, or was not looked up.
    var command: String?

    /// Asks the kernel for the peer of a socket (SO_PEERCRED in unix(7)).
    init?(of descriptor: CInt) {
        // A struct ucred: three numbers of 32 bits, which Swift's Glibc leaves out.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        let size = MemoryLayout.size(ofValue: credentials)
        var length = socklen_t(size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == size else {
            return nil
        }
        (process, user, group) = credentials
    }

    /// Looks up the name of the process.
    mutating func findCommand() { command = Self.command(of: process) }

    private static func command(of process: Int32) -> String? {
        // A process of another namespace has the number 0.
        guard process > 0 else { return nil }
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        // A program may call itself anything that fits.
        return ForeignText.shown(text.prefix(count).prefix { $0 != UInt8(ascii: "\n") })
    }
}
