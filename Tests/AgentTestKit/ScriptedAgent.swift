import Foundation
import Glibc
import Synchronization

/// A server at a Unix socket that runs a test's script on each connection.
///
/// Connections are served one after the other on a thread, the n-th one by the n-th script. When a script returns, its
/// connection is closed; after the last one the socket is removed, as if the agent had ended.
package final class ScriptedAgent: Sendable {
    /// The server's part of one connection.
    package typealias Script = @Sendable (ScriptedConnection) -> Void

    /// The socket's path.
    package let path: String
    private let log = RequestLog()

    /// Reads a request, and says nothing.
    package static let silence: Script = { connection in
        connection.readLine()
        connection.waitForClose()
    }

    /// Reads a request, and answers it.
    package static func answer(_ lines: String...) -> Script {
        { connection in
            connection.readLine()
            connection.send(lines.joined(separator: "\n") + "\n")
            connection.waitForClose()
        }
    }

    /// Listens, and serves the scripts.
    ///
    /// - Parameters:
    ///   - path: The socket's path; an unused one when it is `nil`.
    ///   - backlog: The maximum number of connections that wait to be accepted.
    package init(at path: String? = nil, backlog: Int32 = 16, _ scripts: Script...) throws {
        let path = try path ?? Self.newPath()
        self.path = path
        let listener = try Self.listen(at: path, backlog)
        Thread.detachNewThread { [log] in
            for (number, script) in scripts.enumerated() {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                script(ScriptedConnection(descriptor: descriptor, number: number, log: log))
                close(descriptor)
            }
            unlink(path)
            close(listener)
        }
    }

    deinit { unlink(path) }

    /// The lines that were received so far, on all connections.
    package var requests: [String] { log.lines }

    /// An unused path.
    package static func newPath() throws -> String {
        "\(try TemporaryDirectory.ofAllTests)/\(UUID().uuidString.prefix(13)).sock"
    }

    private static func listen(at path: String, _ backlog: Int32) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, Glibc.listen(listener, backlog) == 0 else {
            throw FinishedCommand.Failure(description: "cannot listen at \(path): \(String(cString: strerror(errno)))")
        }
        return listener
    }
}

/// One connection to a ``ScriptedAgent``.
package struct ScriptedConnection {
    private let descriptor: Int32
    /// The number of the connection, from 0.
    package let number: Int
    private let log: RequestLog

    fileprivate init(descriptor: Int32, number: Int, log: RequestLog) {
        self.descriptor = descriptor
        self.number = number
        self.log = log
    }

    /// Sends text as it is; it is dropped when the client no longer reads.
    package func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends lines.
    package func send(lines: String...) { for line in lines { send(line + "\n") } }

    /// The next line, without its end; `nil` when the client has gone.
    @discardableResult
    package func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            guard byte != 0x0A else {
                let text = String(decoding: line, as: UTF8.self)
                log.append(text)
                return text
            }
            line.append(byte)
        }
        return nil
    }

    /// Waits until the client closes the connection.
    package func waitForClose() { while readLine() != nil {} }
}

/// The lines received on all connections.
private final class RequestLog: Sendable {
    private let received = Mutex<[String]>([])

    var lines: [String] { received.withLock { $0 } }

    func append(_ line: String) { received.withLock { $0.append(line) } }
}
