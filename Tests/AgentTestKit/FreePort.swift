import Foundation
import Glibc

/// Ports of 127.0.0.1 for servers that cannot say which one the kernel has given them.
package enum FreePort {
    /// A port that the kernel has just given away and taken back: no other socket gets it for a while.
    package static func take() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
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
            throw FinishedCommand.Failure(description: "no free port: \(String(cString: strerror(errno)))")
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Ports that differ.
    package static func take(_ count: Int) throws -> [UInt16] {
        var ports: Set<UInt16> = []
        while ports.count < count { ports.insert(try take()) }
        return Array(ports)
    }
}
