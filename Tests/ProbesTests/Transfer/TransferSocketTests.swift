import Glibc
import Testing

@testable import Probes

/// A download from a server that sends without end, to a reader that the system does not schedule for a while.
@Suite struct TransferSocketTests {
    /// A connection over the loopback, whose two ends this thread drives: what one of them sends has arrived when the
    /// call returns.
    private struct Connection: ~Copyable {
        let reader: CInt
        let sender: CInt

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            reader = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let isConnected = withUnsafeMutablePointer(to: &address) { [reader] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                        && getsockname(listener, $0, &length) == 0
                        && connect(reader, $0, length) == 0
                }
            }
            sender = accept(listener, nil, nil)
            try #require(isConnected && sender >= 0)
        }

        deinit {
            close(reader)
            close(sender)
        }

        func admit(_ missing: Int, of wanted: Int) {
            var size = TransferSocket.receiveBuffer(missing: missing, of: wanted)
            setsockopt(reader, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }

        /// Sends all that the reader's window allows.
        func flood() {
            let piece = [UInt8](repeating: 0x78, count: 64 << 10)
            while send(sender, piece, piece.count, Int32(MSG_DONTWAIT)) > 0 {}
        }

        func read(atMost count: Int) -> Int {
            var piece = [UInt8](repeating: 0, count: count)
            return recv(reader, &piece, piece.count, Int32(MSG_DONTWAIT))
        }

        /// The payload that has arrived, read or not.
        var received: Int {
            get throws {
                var answer = TCPCounters.Answer()
                var length = socklen_t(MemoryLayout<TCPCounters.Answer>.size)
                getsockopt(reader, Int32(IPPROTO_TCP), TCP_INFO, &answer, &length)
                return try #require(TCPCounters(answer)).payload
            }
        }
    }

    @Test(arguments: [2 << 20, 20 << 20]) func `no more arrives than the plan allows on the link`(wanted: Int) throws {
        let connection = try Connection()
        connection.admit(wanted, of: wanted)
        connection.flood()
        var bytes = 0
        while bytes < wanted {
            let count = connection.read(atMost: min(ReadPacer.readBytes, wanted - bytes))
            try #require(count > 0)
            bytes += count
            connection.admit(wanted - bytes, of: wanted)
            connection.flood()
        }
        let plan = TransferPlan(downloadBytes: wanted)
        #expect(try connection.received < plan.bytesOnWire)
    }
}
