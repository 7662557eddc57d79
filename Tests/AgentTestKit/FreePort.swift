import Foundation
import Glibc

/// A port of 127.0.0.1 for a server that cannot say which one the kernel has given it, or starts again on the same one.
///
/// It stays bound here, without a listener, as long as this object lives: the kernel gives it to no other socket, and a
/// server that sets SO_REUSEADDR can listen on it (socket(7)).
package final class FreePort: Sendable {
    /// Its number.
    package let number: UInt16
    /// The bound socket.
    let descriptor: Int32

    /// Takes a port.
    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isShared: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw FinishedCommand.Failure(description: "no free port: \(reason)")
        }
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
