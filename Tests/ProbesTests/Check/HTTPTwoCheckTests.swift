import ProbeTestKit
import ServerTrust
import Testing

@testable import Probes

@Suite
struct HTTPTwoCheckTests {
    private func check(
        _ steps: [HTTP2Step],
        _ change: (inout Probe) -> Void = { _ in }
    ) async throws -> CheckReport {
        let tls = try CheckBench.tls { $0.applicationProtocols = ["h2"] }
        return try await CheckBench().check([.http2(steps)], tls: tls, path: "/p?q", host: "host.test", change).report
    }

    @Test
    func `a response is reported as the server sent it`() async throws {
        let tls = try CheckBench.tls { $0.applicationProtocols = ["h2", "http/1.1"] }
        let response = ScriptedResponse(200, headers: [("x-one", "1")], body: Array("hello".utf8))
        let (report, server) = try await CheckBench().check(
            [.serve(response)],
            tls: tls,
            path: "/p?q",
            host: "host.test"
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.tls?.applicationProtocol == "h2")
        #expect(report.hop.response?.httpVersion == "2")
        #expect(report.hop.response?.status == 200)
        #expect(report.hop.response?.bodyBytes == 5)
        #expect(report.hop.response?.headers.contains { $0.name == "transfer-encoding" } == false)
        #expect(report.phases == [.resolve, .connect, .tls, .request, .firstByte, .body])
        let request = try #require(server.requests.first)
        #expect(request.target == "/p?q")
        #expect(request.header(":authority") == "host.test:\(server.port)")
        #expect(request.header("host") == nil)
        #expect(request.header("connection") == nil)
    }

    @Test
    func `a body larger than the window is received whole`() async throws {
        let body = [UInt8](repeating: 7, count: 900_000)
        let report = try await check([.respond(ScriptedResponse(200, body: body))])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.bodyBytes == body.count)
    }

    @Test
    func `an endless body is cut off`() async throws {
        let report = try await check([
            .begin(ScriptedResponse(200)), .sendEndlessly([UInt8](repeating: 7, count: 4096)),
        ])
        #expect(report.verdict == .failed(.httpTooLarge, .body), "\(report.findings)")
    }

    @Test
    func `a compressed body is inflated`() async throws {
        let report = try await check([.respond(.gzip("inflated text"))])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.decodedBodyBytes == 13)
    }

    @Test(arguments: [
        (HTTP2Step.resetStream(7), FindingCode.httpProtocol, "REFUSED_STREAM"),
        (.goAway(11), .httpProtocol, "ENHANCE_YOUR_CALM"),
        // An orderly end violates nothing, and a transfer resumes after it.
        (.goAway(0), .connectionClosed, "announced with GOAWAY"),
    ])
    func `each stream error has its code`(step: HTTP2Step, code: FindingCode, words: String) async throws {
        let report = try await check([step])
        #expect(report.verdict.code == code, "\(report.findings)")
        #expect(report.findings.first?.evidence.contains(words) == true, "\(report.findings)")
    }

    @Test(arguments: [HTTP2Step.resetStream(13), .goAway(13)])
    func `a server that requires HTTP/1.1 gets the request once more over it`(step: HTTP2Step) async throws {
        let server = try await ScriptedServer.start(
            scripts: [[.http2([step])], [.serve(.text("hello"))]],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2", "http/1.1"] }
        )
        let report = try await CheckBench().check(server.url("/p?q", host: "host.test")) {
            $0.request.method = "POST"
            $0.tls.applicationProtocols = ["h2"]
            $0.trust = TrustEvaluator(
                policy: SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false),
                anchors: TrustAnchors(certificates: [])
            )
        }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(server.applicationProtocols == ["h2", "http/1.1"])
        #expect(server.requests.map(\.target) == ["/p?q", "/p?q"])
        #expect(report.hops.map(\.response?.status) == [nil, 200])
        #expect(report.hops.map(\.url).allSatisfy { $0 == report.target })
        #expect(report.findings.map(\.code) == [.tlsNotEvaluated, .httpProtocol])
        #expect(report.findings.last?.severity == .note)
        #expect(report.findings.last?.evidence.contains("HTTP_1_1_REQUIRED") == true)
        await server.shutDown()
    }

    @Test
    func `a server that requires HTTP/1.1 and does not speak it is not asked again and again`() async throws {
        let server = try await ScriptedServer.start(
            scripts: [[.http2([.resetStream(13)])], [.receiveRequest, .close]],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2", "http/1.1"] }
        )
        let report = try await CheckBench().check(server.url(host: "host.test"))
        #expect(report.verdict.code == .connectionClosed, "\(report.findings)")
        #expect(server.connections == 2)
        await server.shutDown()
    }

    @Test
    func `an end before the response has its code`() async throws {
        // A server that closes with something unread resets the connection, and a reset may be met while writing.
        let codes: [FindingCode] = [.connectionClosed, .connectionReset]
        for step in [HTTP2Step.drop, .reset] {
            let report = try await check([step])
            #expect(codes.contains { report.verdict == .failed($0, .firstByte) }, "\(report.findings)")
        }
    }

    @Test
    func `an end in the middle of a body truncates it`() async throws {
        let report = try await check([.begin(ScriptedResponse(200, body: Array("part".utf8))), .drop])
        // A server that closes with something unread resets the connection.
        let codes: [FindingCode] = [.httpTruncated, .connectionReset]
        #expect(codes.contains { report.verdict == .failed($0, .body) }, "\(report.findings)")
    }

    /// A frame of RFC 9113, section 4.1.
    private func frame(type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags, 0, 0, 0, stream]
            + payload
    }

    @Test
    func `a header larger than one frame is received whole`() async throws {
        // ':status: 200', then ten fields of 5000 bytes without Huffman coding (RFC 7541, section 6.2.2).
        var block: [UInt8] = [0x88]
        for _ in 0..<10 { block += [0x00, 1, 0x78, 0x7F, 0x89, 0x26] + [UInt8](repeating: 0x76, count: 5000) }
        var bytes = frame(type: 4) + frame(type: 4, flags: 1)
        for start in stride(from: 0, to: block.count, by: 16_384) {
            let end = min(start + 16_384, block.count)
            // HEADERS with END_STREAM first, then CONTINUATION, with END_HEADERS on the last one.
            let flags: UInt8 = (start == 0 ? 1 : 0) | (end == block.count ? 4 : 0)
            bytes += frame(type: start == 0 ? 1 : 9, flags: flags, stream: 1, Array(block[start..<end]))
        }
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(bytes), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.headers.map(\.value.utf8.count) == [Int](repeating: 5000, count: 10))
    }

    @Test
    func `a stream that ends with an informational response is malformed`() async throws {
        // HEADERS with END_HEADERS and END_STREAM: ':status: 103' (RFC 7541, section 6.2.2).
        let hint = frame(type: 1, flags: 5, stream: 1, [0x08, 3] + Array("103".utf8))
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(frame(type: 4) + frame(type: 4, flags: 1) + hint), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        )
        #expect(report.verdict.code == .httpMalformed, "\(report.findings)")
        #expect(report.findings.map(\.evidence) == ["the stream ended with an informational response"])
    }

    @Test(arguments: ["+200", "0200", "-200", "\u{662}\u{660}\u{660}", "20", "099", "2x0", ""])
    func `a status that is not three digits is malformed`(status: String) async throws {
        // HEADERS with END_HEADERS and END_STREAM, and a literal ':status' (RFC 7541, section 6.2.2).
        let head = frame(type: 1, flags: 5, stream: 1, [0x08, UInt8(status.utf8.count)] + Array(status.utf8))
        let (report, _) = try await CheckBench().check(
            [.receive(54), .send(frame(type: 4) + frame(type: 4, flags: 1) + head), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        )
        #expect(report.verdict.code == .httpMalformed, "\(report.findings)")
    }

    @Test
    func `a redirect to bytes that are not UTF-8 leads to no other address`() async throws {
        // ':status: 302' and 'location: /caf\xE9' (RFC 7541, section 6.2.2).
        let fields: [UInt8] = [0x08, 3] + Array("302".utf8) + [0x0F, 0x1F, 5] + Array("/caf".utf8) + [0xE9]
        let head = frame(type: 1, flags: 5, stream: 1, fields)
        let (report, server) = try await CheckBench().check(
            [.receive(54), .send(frame(type: 4) + frame(type: 4, flags: 1) + head), .silence],
            tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
        ) { $0.maximumRedirects = 1 }
        #expect(report.verdict.code == .redirectInvalid, "\(report.findings)")
        #expect(report.hops.count == 1)
        #expect(server.connections == 1)
    }

    @Test
    func `endless frames are not read for ever`() async throws {
        let settings = frame(type: 4) + frame(type: 4, flags: 1)
        let begun = frame(type: 1, stream: 1, [0x88])
        let floods = [begun + Array((0..<64).map { _ in frame(type: 9, stream: 1) }.joined())]
        for flood in floods {
            let (report, _) = try await CheckBench().check(
                [.receive(54), .send(settings), .sendEndlessly(flood)],
                tls: CheckBench.tls { $0.applicationProtocols = ["h2"] }
            )
            #expect(report.verdict.code == .httpProtocol, "\(report.findings)")
        }
    }

    @Test
    func `a header that is too large is an error`() async throws {
        let value = String(repeating: "v", count: 3000)
        let large = ScriptedResponse(200, headers: (0..<4).map { ("x-\($0)", value) })
        let report = try await check([.respond(large)]) { $0.limits.headerBytes = 8192 }
        #expect(report.verdict.code == .httpHeaderTooLarge, "\(report.findings)")
        let many = ScriptedResponse(200, headers: (0..<300).map { ("x-\($0)", "v") })
        let counted = try await check([.respond(many)])
        #expect(counted.verdict.code == .httpHeaderTooLarge, "\(counted.findings)")
    }

    @Test
    func `a silent stream ends with the deadline`() async throws {
        let report = try await check([.silence]) { $0.timeout = .seconds(3) }
        #expect(report.verdict == .failed(.timeout, .firstByte))
    }
}
