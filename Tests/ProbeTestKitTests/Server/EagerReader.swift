import AgentTestKit
import Foundation
import Glibc

/// A client that reads on a thread of its own, faster than a script can send.
final class EagerReader: Sendable {
    private let descriptor: Int32

    /// Connects to a server on loopback.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(clamping: port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Reads and forgets everything until the connection ends.
    ///
    /// - Returns: How many bytes came.
    func readToEnd() async -> Int {
        await onThread {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            var total = 0
            while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 { total += count }
            return total
        }
    }

    /// Ends the connection.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
