import Foundation
import Glibc

/// A server on the loopback that sends what a test says to its first client, whatever that asks for.
package final class RawServer: Sendable {
    /// The end of a connection.
    package enum Ending: Sendable {
        /// Nothing more comes, and the connection stays.
        case silence
        /// The connection is closed in order.
        case close
        /// The connection is reset.
        case reset
        /// The last bytes come again and again.
        case flood
        /// After so many more bytes of the client's come last words, and the connection is closed.
        case lastWords([UInt8], after: Int)
        /// Each word of the client's is waited for and has its answer, of which the last one comes again and again.
        case answers([(word: String, answer: [UInt8])])
    }

    /// The port, on 127.0.0.1.
    package let port: UInt16
    private let listener: Int32

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - chunks: Sent one after the other, each on its own.
    ///   - ending: The end.
    ///   - readsFirst: True to wait for the client's first bytes.
    package init(_ chunks: [[UInt8]], then ending: Ending, readsFirst: Bool = true) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        guard result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        // The thread has a descriptor of its own: when it has closed that, the number may be that of another socket.
        let own = fcntl(listener, F_DUPFD_CLOEXEC, 3)
        Thread.detachNewThread { Self.serve(own, chunks, ending, readsFirst) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ listener: Int32, _ chunks: [[UInt8]], _ ending: Ending, _ readsFirst: Bool) {
        defer { close(listener) }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        if readsFirst { _ = recv(client, &buffer, buffer.count, 0) }
        var on: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        for chunk in chunks { _ = send(client, chunk, chunk.count, Int32(MSG_NOSIGNAL)) }
        switch ending {
        case .close: return
        case .reset:
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        case .flood:
            let last = chunks.last ?? [0]
            while send(client, last, last.count, Int32(MSG_NOSIGNAL)) > 0 {}
        case .lastWords(let words, var left):
            while left > 0, case let count = recv(client, &buffer, buffer.count, 0), count > 0 { left -= count }
            _ = send(client, words, words.count, Int32(MSG_NOSIGNAL))
            shutdown(client, Int32(SHUT_WR))
            while recv(client, &buffer, buffer.count, 0) > 0 {}
        case .answers(let answers):
            var heard: [UInt8] = []
            for (word, answer) in answers {
                while heard.firstRange(of: Array(word.utf8)) == nil {
                    guard case let count = recv(client, &buffer, buffer.count, 0), count > 0 else { return }
                    heard += buffer[..<count]
                }
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
            let last = answers.last?.answer ?? [0]
            while send(client, last, last.count, Int32(MSG_NOSIGNAL)) > 0 {}
        case .silence: while recv(client, &buffer, buffer.count, 0) > 0 {}
        }
    }
}
