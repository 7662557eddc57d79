import CheckResults
import NIOCore
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct ChunkFilterTests {
    private static let cases: [(received: String, passed: String)] = [
        ("2\r\nok\r\n0\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"),
        ("2 ;a=b\r\nok\r\n0 \r\n\r\n", "2\r\nok\r\n0\r\n\r\n"),
        ("02; a\r\nok\r\n1;\r\n;\r\n000;b = c\r\n\r\n", "02\r\nok\r\n1\r\n;\r\n000\r\n\r\n"),
        ("2\t \t\r\nok\r\n0;a= \"x;\\\"\té\"\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"),
        // Data that looks like framing.
        ("A \r\n; \r\n\r\n0 \r\n\r\n0 \r\n\r\n", "A\r\n; \r\n\r\n0 \r\n\r\n0\r\n\r\n"),
        ("1f;a\r\n0123456789abcdef0123456789ABCDE\r\n0\r\n\r\n", "1f\r\n0123456789abcdef0123456789ABCDE\r\n0\r\n\r\n"),
        // Trailers.
        ("0 ;a\r\nX: a\r\n b\r\nY:\r\n\tc\r\n\r\n", "0\r\nX: a  b\r\nY: \tc\r\n\r\n"),
        ("0\r\n X: a\r\n\r\n", "0\r\n X: a\r\n\r\n"),
        // Nothing of a trailer is held back, however long it is.
        ("0\r\nLocation: /é", "0\r\nLocation: /é"),
        // The library judges the rest, which nothing makes acceptable.
        ("2 x\r\nok\r\n0 \r\n", "2 x\r\nok\r\n0 \r\n"), (" 2\r\nok\r\n0 \r\n", " 2\r\nok\r\n0 \r\n"),
        ("2\t3\r\nok ;\r\n", "2 3\r\nok ;\r\n"), ("2 ;a\nok\r\n0 \r\n", "2;\nok\r\n0 \r\n"),
        ("2;a\u{0}b\r\nok\r\n0 \r\n", "2;\u{0}b\r\nok\r\n0 \r\n"), ("zz ;\r\n", "zz ;\r\n"), ("-2 ;\r\n", "-2 ;\r\n"),
        ("fffffffffffffffff ;a\r\n", "fffffffffffffffff ;a\r\n"), ("2;a\rb", "2\rb"),
    ]

    @Test(arguments: cases.indices)
    func `a chunk's line has only its size, wherever the body is split`(index: Int) throws {
        let (received, passed) = Self.cases[index]
        let bytes = Array(received.utf8)
        let whole = [[bytes[...]], bytes.indices.map { bytes[$0...$0] }]
        for pieces in whole + bytes.indices.map({ [bytes[..<$0], bytes[$0...]] }) {
            var filter = try #require(ChunkFilter([HeaderField(name: "Transfer-Encoding", value: "chunked")]))
            var filtered = ByteBuffer()
            for piece in pieces { filtered.writeImmutableBuffer(filter.filter(ByteBuffer(bytes: piece))) }
            #expect(String(buffer: filtered) == passed, "in pieces of \(pieces.map(\.count))")
        }
    }

    @Test(arguments: [
        (["chunked"], true), (["Chunked"], true), (["gzip,\tchunked "], true), (["gzip", "chunked"], true), ([], false),
        (["gzip"], false), (["chunked, gzip"], false), (["chunked", "gzip"], false), (["xchunked"], false),
        (["chunked;q=1"], false), (["chunked,"], false),
    ])
    func `only a body whose last transfer coding is chunked has chunks`(values: [String], isChunked: Bool) {
        let fields = values.map { HeaderField(name: "transfer-Encoding", value: $0) }
        let others = [HeaderField(name: "X", value: "chunked")]
        #expect((ChunkFilter(fields + others) != nil) == isChunked)
    }
}

/// Chunked bodies of whole checks.
@Suite
struct ChunkedBodyTests {
    private func check(_ body: String, piece: Int) async throws -> CheckReport {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
        return try await CheckBench().check([
            .receiveRequest, .sendSlowly(Array(text.utf8), piece: piece, interval: .milliseconds(1)), .close,
        ]) { $0.expectations.bodyExpectations = [.contains("ok")] }.report
    }

    @Test(
        arguments: [
            "2 ;a=b\r\nok\r\n0\r\n\r\n", "2; a\r\nok\r\n0\r\n\r\n", "2;a = b\r\nok\r\n0\r\n\r\n",
            "2;a= \"x;y\"\r\nok\r\n0\r\n\r\n", "2    \r\nok\r\n0   \r\n\r\n", "2;a=é\r\nok\r\n0;\r\n\r\n",
            "1 \r\no\r\n1\t;\r\nk\r\n0 \r\nX: a\r\n b\r\n\r\n",
        ],
        [1, 4096]
    )
    func `whitespace and extensions of a chunk's line are ignored`(body: String, piece: Int) async throws {
        let report = try await check(body, piece: piece)
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.bodyBytes == 2)
    }

    @Test(
        arguments: [
            "2 x\r\nok\r\n0\r\n\r\n", " 2\r\nok\r\n0\r\n\r\n", "2\t3\r\nok\r\n0\r\n\r\n", "2;a\nok\r\n0\r\n\r\n",
            "2;\u{0}\r\nok\r\n0\r\n\r\n", ";a\r\nok\r\n0\r\n\r\n", " \r\nok\r\n0\r\n\r\n", "2;a\rok\r\n0\r\n\r\n",
            "2 \r\nok!\r\n0\r\n\r\n", "2\r\nok\r\n0\r\n X: a\r\n\r\n", "fffffffffffffffff\r\nok\r\n0\r\n\r\n",
        ],
        [1, 4096]
    )
    func `a chunk's line that is none is malformed`(body: String, piece: Int) async throws {
        let report = try await check(body, piece: piece)
        #expect(report.verdict.code == .httpMalformed, "\(report.findings)")
    }
}
