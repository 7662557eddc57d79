import Foundation
import Glibc
import Synchronization

/// An independent client of one of the agent's sockets, as a source of the lines that it reads.
///
/// It does not use the agent's own client library, so that the server and the library are not only tested against each
/// other.
package final class SocketLines: Sendable, LineSource {
    /// The reason that there is no connection or no line.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The descriptor while it is open; `nil` once it is closed.
    private final class Connection: Sendable {
        private let descriptor: Mutex<Int32?>

        init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

        func use(_ body: (Int32) -> Void) { descriptor.withLock { if let number = $0 { body(number) } } }

        func end() {
            descriptor.withLock {
                if let number = $0 { close(number) }
                $0 = nil
            }
        }
    }

    private let path: String
    private let connection: Connection
    private let isRead: Bool
    private let lines: AsyncStream<String>

    /// Connects to a socket, and sends a line if there is one to be sent.
    ///
    /// - Parameter reads: `false` for a client that does not read, as one that is stopped.
    package init(_ path: String, request: String? = nil, reads: Bool = true) throws {
        let descriptor = try Self.connect(to: path)
        let connection = Connection(descriptor)
        self.path = path
        self.connection = connection
        isRead = reads
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        if let request { send(request) }
        guard reads else { return }
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
                rest += chunk[..<count]
                var start = 0
                while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[start..<end], as: UTF8.self))
                    start = end + 1
                }
                rest.removeFirst(start)
            }
            continuation.finish()
            connection.end()
        }
    }

    /// Wakes the thread that reads, which then closes the descriptor; without one, closes it here.
    deinit {
        if isRead { connection.use { shutdown($0, Int32(SHUT_RDWR)) } } else { connection.end() }
    }

    /// Sends a line.
    package func send(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        connection.use { _ = Glibc.send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next line; `nil` when the agent has closed the connection, or, with an issue, when nothing came for too long.
    package func next() async -> String? {
        let end = { @Sendable [connection] in connection.use { _ = shutdown($0, Int32(SHUT_RDWR)) } }
        return await LinePatience.line(from: path, end: end) {
            var iterator = lines.makeAsyncIterator()
            return await iterator.next()
        }
    }

    private static func connect(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            close(descriptor)
            throw Failure(description: "\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure(description: "cannot connect to \(path): \(reason)")
        }
        return descriptor
    }
}
