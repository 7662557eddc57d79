import ProbeTestKit
import Testing

@testable import Probes

@Suite("The byte limit of a check")
struct ByteLimitTests {
    /// The number of bytes that one read of the socket may bring beyond the limit.
    private static let reading = 64 << 10

    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }

    /// The data that HTTP/1 servers send without end, after a head.
    static let endless: [(name: String, head: String, rest: String)] = [
        ("a chunk's extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "extension"),
        ("a chunk's size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0"),
        (
            "chunks of one byte", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1;xxxxxxxxxxxxxxxxxxxxxxxx\r\na\r\n"
        ),
        ("trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "a: b\r\n"),
        ("header fields", "HTTP/1.1 200 OK\r\n", "a: b\r\n"), ("a header field", "HTTP/1.1 200 OK\r\na: ", "b"),
        ("a reason", "HTTP/1.1 200 ", "OK"), ("informational responses", "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
        ("a body without a length", "HTTP/1.0 200 OK\r\n\r\n", "body"),
    ]

    @Test("Endless data from an HTTP/1 server is bounded", arguments: endless.indices)
    func endlessHTTPOne(index: Int) async throws {
        let item = Self.endless[index]
        let piece = Array(String(repeating: item.rest, count: 4096 / item.rest.utf8.count + 1).utf8)
        let (report, server) = try await CheckBench().check([.receiveRequest, .send(item.head), .sendEndlessly(piece)])
        let codes: [FindingCode] = [.byteLimit, .httpTooLarge, .httpHeaderTooLarge, .httpMalformed]
        #expect(codes.contains { report.verdict.code == $0 }, "\(item.name): \(report.findings)")
        #expect(report.bytesReceived <= ProbeLimits().defaultReceivedBytes + Self.reading, "\(item.name)")
        await server.ended(connections: 1)
    }

    @Test("An endless chunk extension fails with the byte limit's own code")
    func chunkExtension() async throws {
        let item = Self.endless[0]
        let piece = [UInt8](repeating: 0x78, count: 8192)
        let (report, _) = try await CheckBench().check([.receiveRequest, .send(item.head), .sendEndlessly(piece)]) {
            $0.limits.receivedBytes = 100_000
        }
        #expect(report.verdict == .failed(.byteLimit, .body), "\(report.findings)")
        #expect((100_001...100_000 + Self.reading).contains(report.bytesReceived))
    }

    /// Frames that HTTP/2 servers send without end.
    static let floods: [(name: String, frames: [UInt8])] = [
        ("unknown frames", frame(0x77, [UInt8](repeating: 0, count: 4096))), ("small unknown frames", frame(0xFF)),
        ("PING", frame(6, [UInt8](repeating: 0, count: 8))), ("SETTINGS", frame(4)),
        ("SETTINGS acknowledged", frame(4, flags: 1)),
        ("WINDOW_UPDATE", frame(8, [0, 0, 0, 1])), ("PRIORITY", frame(2, stream: 1, [0, 0, 0, 0, 1])),
        ("RST_STREAM of another stream", frame(3, stream: 3, [0, 0, 0, 8])),
        ("GOAWAY", frame(7, [0, 0, 0, 1, 0, 0, 0, 0])),
        ("empty DATA", frame(1, flags: 4, stream: 1, [0x88]) + frame(0, stream: 1)),
        (
            "padding",
            frame(1, flags: 4, stream: 1, [0x88])
                + frame(0, flags: 8, stream: 1, [200] + [UInt8](repeating: 0, count: 200))
        ),
        ("informational responses", frame(1, flags: 4, stream: 1, [0x08, 3, 0x31, 0x30, 0x33])),
        ("ALTSVC", frame(10, [0, 1, 0x61, 0x62])), ("ORIGIN", frame(12, [0, 1, 0x61])),
        ("CONTINUATION", frame(1, stream: 1, [0x88]) + frame(9, stream: 1)),
        ("PUSH_PROMISE", frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82])),
    ]

    @Test("Endless frames from an HTTP/2 server are bounded", arguments: floods.indices)
    func endlessHTTPTwo(index: Int) async throws {
        let item = Self.floods[index]
        let settings = Self.frame(4) + Self.frame(4, flags: 1)
        let frames = Array((0..<(8192 / item.frames.count + 1)).map { _ in item.frames }.joined())
        let (report, server) = try await CheckBench().check(
            [.receive(54), .send(settings), .sendEndlessly(frames)],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        ) { $0.limits.receivedBytes = 1 << 20 }
        let codes: [FindingCode] = [.byteLimit, .httpProtocol, .httpMalformed]
        #expect(codes.contains { report.verdict.code == $0 }, "\(item.name): \(report.findings)")
        #expect(report.bytesReceived <= (1 << 20) + Self.reading, "\(item.name)")
        await server.ended(connections: 1)
    }

    @Test("A check that exhausts the rest of a budget says nothing about its target")
    func budget() async throws {
        let body = [UInt8](repeating: 0x61, count: 200_000)
        let (report, _) = try await CheckBench().check([.serve(ScriptedResponse(200, body: body))]) {
            $0.limits.budgetBytes = 50_000
        }
        #expect(report.verdict == .unknown(.budgetExhausted, .body), "\(report.findings)")
        #expect(report.bytesReceived < 50_000 + Self.reading)
        let (whole, _) = try await CheckBench().check([.serve(ScriptedResponse(200, body: body))]) {
            $0.limits.budgetBytes = 250_000
        }
        #expect(whole.verdict == .ok)
    }

    @Test("The derived limit grows with the header and body limits, and cannot overflow")
    func derived() {
        #expect(ProbeLimits(headerBytes: 0, bodyBytes: 0).defaultReceivedBytes == 512 << 10)
        #expect(ProbeLimits().defaultReceivedBytes == 2 * ((1 << 20) + (64 << 10)) + (512 << 10))
        #expect(ProbeLimits(headerBytes: .max, bodyBytes: .max).defaultReceivedBytes == .max)
        #expect(ProbeLimits(headerBytes: 0, bodyBytes: .max / 2).defaultReceivedBytes == .max)
    }
}
