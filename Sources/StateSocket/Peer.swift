internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// The peer of a connection, at the time of connecting.
struct Peer: Sendable, Hashable {
    /// The process; `nil` for a TCP connection.
    var process: Int32?
    var user: UInt32
    /// The group; `nil` for a TCP connection.
    var group: UInt32?
    /// The name of the process in printable form; `nil` when it is not visible, or was not looked up.
    var command: String?

    /// Reads the peer of a socket from the kernel (SO_PEERCRED in unix(7)).
    init?(of descriptor: CInt) {
        // A struct ucred: three 32-bit numbers, which Swift's Glibc does not import.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        let size = MemoryLayout.size(ofValue: credentials)
        var length = socklen_t(size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == size else {
            return nil
        }
        process = credentials.pid
        user = credentials.uid
        group = credentials.gid
    }

    /// Looks up the peer of a TCP connection within this machine.
    init?(ofTCP descriptor: CInt) {
        guard let user = SocketPeer.user(ofTCP: descriptor) else { return nil }
        self.user = user
    }

    /// Looks up the name of the process.
    mutating func findCommand() { command = process.flatMap(Self.command) }

    private static func command(of process: Int32) -> String? {
        // A process of another namespace has the number 0.
        guard process > 0 else { return nil }
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        // A program may use any name that fits.
        return ForeignText.shown(text.prefix(count).prefix { $0 != UInt8(ascii: "\n") })
    }
}
