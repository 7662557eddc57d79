import NIOCore
import Testing

@testable import Probes

@Suite
struct HeaderUnfolderTests {
    private static let cases: [(received: String, passed: String)] = [
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b  c\r\n\r\n"),
        (
            "HTTP/1.1 200 OK\r\nA: b \r\n\t c\r\n \r\nD:\r\n e\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b  \t c  \r\nD:  e\r\n\r\n"
        ),
        // Anything else stays as it is, and the parser judges it.
        ("HTTP/1.1 200 OK\r\n A: b\r\n\r\n", "HTTP/1.1 200 OK\r\n A: b\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nA: b\n c\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\n c\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nA: b\r c\r\r\n d\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r c\r  d\r\n\r\n"),
        // Only in an informational response, and only the names of these fields.
        ("HTTP/1.1 100 C\r\nConnection: a\r\n\r\n", "HTTP/1.1 100 C\r\nConnection_: a\r\n\r\n"),
        (
            "HTTP/1.1 103 C\r\nA: b\r\nproxy-CONNECTION:\r\n a\r\n\r\n",
            "HTTP/1.1 103 C\r\nA: b\r\nproxy-CONNECTION_:  a\r\n\r\n"
        ),
        (
            "HTTP/1.1 100 C\r\nConnections: connection:\r\n connection:\r\n\r\n",
            "HTTP/1.1 100 C\r\nConnections: connection:  connection:\r\n\r\n"
        ),
        ("HTTP/1.1 200 100\r\nConnection: a\r\n\r\n", "HTTP/1.1 200 100\r\nConnection: a\r\n\r\n"),
        // UTF-8 stays, and so do other fields, whose bytes are shown and not requested.
        ("HTTP/1.1 302 A\r\nLocation: /é:ü?€\r\n\r\n", "HTTP/1.1 302 A\r\nLocation: /é:ü?€\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"), ("HTTP/1.1 200 OK\n\r\n", "HTTP/1.1 200 OK\n\r\n"),
    ]

    @Test(arguments: cases.indices)
    func `a folded line is joined to its field, in pieces of any size, and the body stays`(index: Int) {
        let (received, passed) = Self.cases[index]
        // A body that begins as a fold would.
        let body = " body\r\n folded\r\n\r\n"
        let bytes = Array((received + body).utf8)
        for size in 1...bytes.count {
            var unfolder = HeaderUnfolder()
            var head = ByteBuffer()
            var rest = ByteBuffer()
            for start in stride(from: 0, to: bytes.count, by: size) {
                var piece = ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])
                let isComplete = head.readableBytesView.suffix(3).elementsEqual("\n\r\n".utf8)
                if !isComplete { head.writeImmutableBuffer(unfolder.head(from: &piece)) }
                rest.writeImmutableBuffer(piece)
            }
            #expect(String(buffer: head) == passed, "in pieces of \(size)")
            #expect(String(buffer: rest) == body, "in pieces of \(size)")
        }
    }

    @Test(arguments: [
        ("Location: /caf\u{E9}", "Location: /caf%E9"), ("LOCATION:\u{FF}\u{80}a\u{E9}", "LOCATION:%FF%80a%E9"),
        ("Location: \u{E9}\r\n \u{E9}", "Location: %E9  %E9"),
        ("Location:\r\n\t/\u{E9}:\u{E9}", "Location: \t/%E9:%E9"),
        ("Locations: \u{E9}", "Locations: \u{E9}"), ("X-Location: \u{E9}", "X-Location: \u{E9}"),
        ("Location: /\r\nX: Location:\u{E9}", "Location: /\r\nX: Location:\u{E9}"),
    ])
    func `bytes of a Location that are not UTF-8 are percent-encoded`(received: String, passed: String) {
        // The characters are the bytes of ISO 8859-1.
        func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
        let head = bytes("HTTP/1.1 302 A\r\n\(received)\r\n\r\n")
        for split in head.indices {
            var unfolder = HeaderUnfolder()
            var unfolded: [UInt8] = []
            for piece in [head[..<split], head[split...]] {
                var buffer = ByteBuffer(bytes: piece)
                unfolded += unfolder.head(from: &buffer).readableBytesView
            }
            #expect(unfolded == bytes("HTTP/1.1 302 A\r\n\(passed)\r\n\r\n"), "split at \(split)")
        }
    }

    @Test
    func `the head of the final response follows that of an informational one`() {
        var unfolder = HeaderUnfolder()
        var bytes = ByteBuffer(string: "HTTP/1.1 103 x\r\nA: b\r\n c\r\n\r\nHTTP/1.1 200 OK\r\nD: e\r\n f\r\n\r\nbody")
        #expect(String(buffer: unfolder.head(from: &bytes)) == "HTTP/1.1 103 x\r\nA: b  c\r\n\r\n")
        #expect(String(buffer: unfolder.head(from: &bytes)) == "HTTP/1.1 200 OK\r\nD: e  f\r\n\r\n")
        #expect(String(buffer: bytes) == "body")
    }
}
