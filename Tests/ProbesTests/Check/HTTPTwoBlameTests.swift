import ProbeTestKit
import Testing

@testable import Probes

/// A server's violation is the server's fault, whichever side ends the stream because of it.
@Suite("Violations of HTTP/2")
struct HTTPTwoBlameTests {
    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }

    static let head = frame(1, flags: 4, stream: 1, [0x88])
    /// A literal field without indexing (RFC 7541, section 6.2.2).
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    /// Those that are refused; the stream's window is of no interest once the request is sent, and so passed over.
    static let violations: [(name: String, frames: [UInt8])] = [
        ("DATA before HEADERS", frame(0, stream: 1, [1])), ("DATA on the connection", frame(0, [1])),
        ("HEADERS on the connection", frame(1, flags: 4, [0x88])),
        ("DATA on an idle stream", head + frame(0, stream: 7, [1])),
        ("DATA behind the end", frame(1, flags: 5, stream: 1, [0x08, 3, 0x31, 0x30, 0x33]) + frame(0, stream: 1, [1])),
        ("a window of nothing for the connection", head + frame(8, [0, 0, 0, 0])),
        ("the connection's window too large", head + frame(8, [0x7F, 0xFF, 0xFF, 0xFF])),
        ("a reset of the wrong size", head + frame(3, stream: 1, [0, 0, 8])),
        ("a reset of an idle stream", head + frame(3, stream: 9, [0, 0, 0, 8])),
        ("SETTINGS of the wrong size", head + frame(4, [0, 1])), ("SETTINGS on a stream", head + frame(4, stream: 1)),
        ("PING of the wrong size", head + frame(6, [0])),
        ("CONTINUATION without HEADERS", frame(9, flags: 4, stream: 1, [0x88])),
        ("HEADERS between its parts", frame(1, stream: 1, [0x88]) + head),
        ("PUSH_PROMISE", frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82])),
        ("a field's name in upper case", frame(1, flags: 5, stream: 1, [0x88] + field("X-Upper", "v"))),
        ("a field of the connection", frame(1, flags: 5, stream: 1, [0x88] + field("connection", "close"))),
        ("no status", frame(1, flags: 5, stream: 1, field("a", "b"))),
        ("a pseudo-header field of requests", frame(1, flags: 5, stream: 1, [0x88] + field(":path", "/"))),
        ("a status behind a field", frame(1, flags: 5, stream: 1, field("a", "b") + [0x88])),
        ("an index that HPACK does not have", frame(1, flags: 5, stream: 1, [0xFF, 0xFF, 0x7F])),
        ("padding longer than its frame", head + frame(0, flags: 8, stream: 1, [9, 0])),
        ("a stream that depends on itself", frame(1, flags: 0x24, stream: 1, [0, 0, 0, 1, 1, 0x88])),
    ]

    @Test("A violation is reported as such, not as a reset by the server", arguments: violations.indices)
    func violation(index: Int) async throws {
        let item = Self.violations[index]
        let settings = Self.frame(4) + Self.frame(4, flags: 1)
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(settings + item.frames), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        ) { $0.timeout = .seconds(20) }
        let codes: [FindingCode] = [.httpProtocol, .httpMalformed]
        #expect(codes.contains { report.verdict.code == $0 }, "\(item.name): \(report.findings)")
        let evidence = report.findings.first?.evidence ?? ""
        #expect(!evidence.contains("the server reset"), "\(item.name): \(evidence)")
        // The library's errors have the lines of its source files.
        #expect(!evidence.contains("file:") && !evidence.contains(".swift"), "\(item.name): \(evidence)")
    }

    @Test(
        "Content of a response that has none is a violation, and an empty DATA frame is not",
        arguments: [
            ("HEAD", 0x88, "the response to HEAD"), ("HEAD", 0x89, "the response to HEAD"),
            ("GET", 0x89, "a response with status 204"), ("GET", 0x8B, "a response with status 304"),
        ] as [(String, UInt8, String)]
    )
    func extraneousContent(method: String, status: UInt8, response: String) async throws {
        let codes = try StatusCodes(parsing: "200-399")
        for content in [[0x78], []] as [[UInt8]] {
            let frames = Self.frame(1, flags: 4, stream: 1, [status]) + Self.frame(0, flags: 1, stream: 1, content)
            let (report, _) = try await CheckBench().check(
                [.receive(54), .send(Self.frame(4) + Self.frame(4, flags: 1) + frames), .silence],
                tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
            ) { probe in
                probe.request = ProbeRequest(method: method)
                probe.expectations.acceptableStatusCodes = codes
                probe.timeout = .seconds(20)
            }
            #expect(report.verdict.code == (content.isEmpty ? nil : .httpProtocol), "\(report.findings)")
            let evidence = "the server broke HTTP/2: it sent content with \(response), which has none"
            let refusals = report.findings.filter { $0.severity == .refusal }
            #expect(refusals.map(\.evidence) == (content.isEmpty ? [] : [evidence]))
        }
    }

    @Test(
        "A response without content may announce a length, and ends with its head or with an empty DATA frame",
        arguments: [("HEAD", 0x88), ("GET", 0x89), ("GET", 0x8B)] as [(String, UInt8)],
        [true, false]
    )
    func announcedLength(response: (method: String, status: UInt8), endsWithHead: Bool) async throws {
        let codes = try StatusCodes(parsing: "200-399")
        let head = [response.status] + Self.field("content-length", "5")
        let frames =
            endsWithHead
            ? Self.frame(1, flags: 5, stream: 1, head)
            : Self.frame(1, flags: 4, stream: 1, head) + Self.frame(0, flags: 1, stream: 1)
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(Self.frame(4) + Self.frame(4, flags: 1) + frames), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        ) { probe in
            probe.request = ProbeRequest(method: response.method)
            probe.expectations.acceptableStatusCodes = codes
            probe.timeout = .seconds(20)
        }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.bodyBytes == 0)
    }

    private static let tooLarge = "Content-Length is at least \(Int.max); \(ProbeLimits().bodyBytes) bytes are allowed"
    /// Content with its announced length, and the code and the evidence against it.
    private static let lengths: [(announced: [String], content: Int, code: FindingCode?, evidence: String)] = [
        (["2"], 2, nil, ""), (["2", "2"], 2, nil, ""), (["2, 2"], 2, nil, ""), (["002"], 2, nil, ""),
        (["0"], 0, nil, ""), ([], 2, nil, ""),
        (["2"], 1, .httpTruncated, "the body has not the length that Content-Length says"),
        (["2"], 0, .httpTruncated, "the body has not the length that Content-Length says"),
        (["2"], 3, .httpTruncated, "the body has not the length that Content-Length says"),
        (["0"], 1, .httpTruncated, "the body has not the length that Content-Length says"),
        (["2", "3"], 2, .httpProtocol, "the server broke HTTP/2: Content-Length is not one number"),
        (["2, 3"], 2, .httpProtocol, "the server broke HTTP/2: Content-Length is not one number"),
        (["+2"], 2, .httpProtocol, "the server broke HTTP/2: Content-Length is not one number"),
        (["-2"], 2, .httpProtocol, "the server broke HTTP/2: Content-Length is not one number"),
        (["99999999999999999999"], 2, .httpTooLarge, tooLarge),
    ]

    @Test("Content has the announced length, however it ends", arguments: lengths.indices, [false, true])
    func contentLength(index: Int, hasTrailers: Bool) async throws {
        let item = Self.lengths[index]
        let fields: [UInt8] = item.announced.flatMap { Self.field("content-length", $0) }
        let head: [UInt8] = [0x88] + fields
        let content = [UInt8](repeating: 0x78, count: item.content)
        let end = hasTrailers ? Self.frame(1, flags: 5, stream: 1, Self.field("trailer", "x")) : []
        let data = Self.frame(0, flags: hasTrailers ? 0 : 1, stream: 1, content)
        let frames = Self.frame(1, flags: 4, stream: 1, head) + data + end
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(Self.frame(4) + Self.frame(4, flags: 1) + frames), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        ) { $0.timeout = .seconds(20) }
        #expect(report.verdict.code == item.code, "\(report.findings)")
        let refusals = report.findings.filter { $0.severity == .refusal }
        #expect(refusals.map(\.evidence) == (item.code == nil ? [] : [item.evidence]))
    }

    @Test("A reset by the server is reported as one, however its frame is split", arguments: [1, 4, 9, 13])
    func reset(piece: Int) async throws {
        let settings = Self.frame(4) + Self.frame(4, flags: 1)
        let frames = Self.head + Self.frame(3, stream: 1, [0, 0, 0, 2])
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(settings), .sendSlowly(frames, piece: piece, interval: .milliseconds(1)), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        )
        #expect(report.findings.first?.evidence == "the server reset the stream with INTERNAL_ERROR")
    }
}
