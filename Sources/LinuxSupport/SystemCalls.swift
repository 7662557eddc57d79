internal import CLinux
package import Glibc

/// The error of a failed system call (errno(3)).
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    package let errno: Int32

    /// Creates an error.
    package init(errno: Int32) { self.errno = errno }

    /// The message of the C library (strerror(3)): `No such file or directory`.
    package var description: String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
}

/// The error of an operation on a file.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failed operation, such as `create` or `write`.
    package let operation: String
    /// The file or directory.
    package let path: String
    /// The number (errno(3)).
    package let errno: Int32

    /// Creates an error.
    package init(operation: String, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// The cause as text, without the operation.
    package var reason: String { SystemError(errno: errno).description }

    /// The error in one line.
    package var description: String { "cannot \(operation) \(path): \(reason)" }
}

/// Kernel constants that Swift does not import, with their values on x86, Arm and RISC-V.
package enum KernelConstants {
    /// `O_PATH` (open(2)).
    package static let openPath: Int32 = 0o10_000_000
    /// `AT_EMPTY_PATH` (open(2)): the descriptor itself, and no file below it.
    package static let emptyPath: Int32 = 0x1000
    /// `ST_NOEXEC` (statvfs(3)).
    package static let mountedNoexec: UInt = 8
    /// The device number of `/dev/null`, the character device 1:3 (null(4)).
    package static let nullDevice: dev_t = 1 << 8 | 3
}

/// Writes that never block, to descriptors that are shared with other processes and therefore cannot be made
/// non-blocking.
package enum NonblockingWrite {
    /// Writes what fits without waiting (pwritev2(2) with RWF_NOWAIT).
    ///
    /// - Returns: The number of bytes, or -1 with errno; EOPNOTSUPP if the type of file does not support the flag
    ///   (pipes before Linux 6.4, terminals).
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        clinux_write_without_waiting(descriptor, bytes.baseAddress, bytes.count)
    }
}

/// The other end of a connection.
package enum SocketPeer {
    /// The user of the process at the other end of a TCP connection within this machine; `nil` if the kernel's socket
    /// table no longer contains the connection.
    ///
    /// Needs no privilege, and does not block.
    package static func user(ofTCP descriptor: Int32) -> UInt32? {
        let user = clinux_tcp_peer_user(descriptor)
        return user < 0 ? nil : UInt32(exactly: user)
    }
}

/// The width of single characters in terminal columns.
package enum CharacterWidth {
    /// Returns 0 for combining marks, 2 for East Asian wide characters and most emoji, else 1 (wcwidth(3)).
    ///
    /// A character that the C library does not know takes one, as on most terminals.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        let width = Int(clinux_character_width(scalar.value))
        return width < 0 ? 1 : min(width, 2)
    }
}
