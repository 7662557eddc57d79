import ProbeTestKit
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
    func `a body larger than the window comes whole`() async throws {
        let body = [UInt8](repeating: 7, count: 900_000)
        let report = try await check([.respond(ScriptedResponse(200, body: body))])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.bodyBytes == body.count)
    }

    @Test
    func `a body without an end is cut off`() async throws {
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
        (.resetStream(13), .httpProtocol, "HTTP_1_1_REQUIRED"), (.goAway(11), .httpProtocol, "ENHANCE_YOUR_CALM"),
        (.drop, .connectionClosed, "closed"), (.reset, .connectionReset, "reset"),
    ])
    func `each way to refuse a stream has its code`(step: HTTP2Step, code: FindingCode, words: String) async throws {
        let report = try await check([step])
        #expect(report.verdict.code == code, "\(report.findings)")
        #expect(report.findings.first?.evidence.contains(words) == true, "\(report.findings)")
    }

    @Test
    func `an end in the middle of a body truncates it`() async throws {
        let report = try await check([.begin(ScriptedResponse(200, body: Array("part".utf8))), .drop])
        // A server that closes with something unread resets the connection.
        let codes: [FindingCode] = [.httpTruncated, .connectionReset]
        #expect(codes.contains { report.verdict == .failed($0, .body) }, "\(report.findings)")
    }

    @Test
    func `a header that is too large is refused`() async throws {
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
        let report = try await check([.silence]) { $0.timeout = .milliseconds(500) }
        #expect(report.verdict == .failed(.timeout, .firstByte))
    }
}
