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
        // What is no fold stays as it is, and is the parser's to judge.
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

    @Test
    func `the head of the final response follows that of an informational one`() {
        var unfolder = HeaderUnfolder()
        var bytes = ByteBuffer(string: "HTTP/1.1 103 x\r\nA: b\r\n c\r\n\r\nHTTP/1.1 200 OK\r\nD: e\r\n f\r\n\r\nbody")
        #expect(String(buffer: unfolder.head(from: &bytes)) == "HTTP/1.1 103 x\r\nA: b  c\r\n\r\n")
        #expect(String(buffer: unfolder.head(from: &bytes)) == "HTTP/1.1 200 OK\r\nD: e  f\r\n\r\n")
        #expect(String(buffer: bytes) == "body")
    }
}
