import Foundation
import Glibc

/// A server on the loopback that sends what a test says to its first clients, whatever those ask for.
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
        /// After a pause of the client's comes the first answer, after its next bytes the second one, and so on; then the
        /// connection is closed.
        case answersAfterPause(Duration, [[UInt8]])
        /// Each word of the client's is waited for and has its answer, of which the last one comes again and again.
        case answers([(word: String, answer: [UInt8])])
    }

    /// The port, on 127.0.0.1.
    package var port: UInt16 { place.number }
    private let place: FreePort

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - chunks: Sent one after the other, each on its own.
    ///   - ending: The end.
    ///   - readsFirst: True to wait for the client's first bytes.
    package convenience init(_ chunks: [[UInt8]], then ending: Ending, readsFirst: Bool = true) throws {
        try self.init([(chunks, ending)], readsFirst: readsFirst)
    }

    /// Starts a server for several clients, one after the other.
    ///
    /// - Parameters:
    ///   - clients: The chunks and the end of each connection; further ones are not accepted.
    ///   - readsFirst: True to wait for each client's first bytes.
    package init(_ clients: [(chunks: [[UInt8]], ending: Ending)], readsFirst: Bool = true) throws {
        place = try FreePort()
        guard listen(place.descriptor, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        // The thread has a descriptor of its own: when it has closed that, the number may be that of another socket.
        let own = fcntl(place.descriptor, F_DUPFD_CLOEXEC, 3)
        Thread.detachNewThread {
            for (chunks, ending) in clients { Self.serve(own, chunks, ending, readsFirst) }
            close(own)
        }
    }

    deinit { shutdown(place.descriptor, Int32(SHUT_RDWR)) }

    private static func serve(_ listener: Int32, _ chunks: [[UInt8]], _ ending: Ending, _ readsFirst: Bool) {
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
        case .flood: flood(client, with: chunks.last ?? [0])
        case .lastWords(let words, var left):
            while left > 0, case let count = recv(client, &buffer, buffer.count, 0), count > 0 { left -= count }
            _ = send(client, words, words.count, Int32(MSG_NOSIGNAL))
            shutdown(client, Int32(SHUT_WR))
            while recv(client, &buffer, buffer.count, 0) > 0 {}
        case .answersAfterPause(let pause, let answers):
            limitReceiving(client, pause)
            while recv(client, &buffer, buffer.count, 0) > 0 {}
            limitReceiving(client, .zero)
            for (index, answer) in answers.enumerated() {
                guard index == 0 || recv(client, &buffer, buffer.count, 0) > 0 else { return }
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
        case .answers(let answers):
            var heard: [UInt8] = []
            for (word, answer) in answers {
                while heard.firstRange(of: Array(word.utf8)) == nil {
                    guard case let count = recv(client, &buffer, buffer.count, 0), count > 0 else { return }
                    heard += buffer[..<count]
                }
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
            flood(client, with: answers.last?.answer ?? [0])
        case .silence: while recv(client, &buffer, buffer.count, 0) > 0 {}
        }
    }

    /// Sets the maximum time to wait for bytes; zero for none.
    private static func limitReceiving(_ client: Int32, _ limit: Duration) {
        let (seconds, attoseconds) = limit.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends the same bytes until the client ends the connection.
    private static func flood(_ client: Int32, with bytes: [UInt8]) {
        while send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
    }
}
