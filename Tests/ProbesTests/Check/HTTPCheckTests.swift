import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct HTTPCheckTests {
    @Test
    func `a response is reported with its head, its body's size and every phase`() async throws {
        let response = ScriptedResponse(200, headers: [("X-One", "1"), ("x-one", "2")], body: Array("hello".utf8))
        let (report, server) = try await CheckBench().check([.serve(response)], path: "/p?q=1", host: "host.test")
        #expect(report.verdict == .ok)
        #expect(report.findings.isEmpty)
        #expect(report.phases == [.resolve, .connect, .request, .firstByte, .body])
        #expect(report.hop.phases.allSatisfy { $0.isComplete })
        let got = try #require(report.hop.response)
        #expect(got.status == 200)
        #expect(got.httpVersion == "1.1")
        #expect(got.bodyBytes == 5)
        #expect(got.decodedBodyBytes == nil)
        #expect(got.headers.map(\.name) == ["X-One", "x-one", "Content-Length"])
        #expect(report.hop.tls == nil)
        let request = try #require(server.requests.first)
        #expect(request.target == "/p?q=1")
        #expect(request.header("Connection") == "close")
        #expect(request.header("Host") == "host.test:\(server.port)")
    }

    @Test
    func `the request is sent as it is shown`() async throws {
        let server = try await ScriptedServer.start([.serve(ScriptedResponse(201))])
        let probe = try CheckBench.probe(server.url("/a")) { probe in
            probe.request = ProbeRequest(
                method: "POST",
                body: .bytes(Array("body text".utf8), contentType: "text/plain")
            )
        }
        let report = await CheckBench().check(probe)
        #expect(report.verdict == .ok)
        guard case .http(let url) = probe.target else {
            Issue.record("\(probe.target)")
            return
        }
        let close = [HeaderField(name: "Connection", value: "close")]
        let shown = try probe.serializer.serialize(probe.request, to: url).httpOneHead(adding: close)
        #expect(server.requests.map(\.head) == [shown])
        #expect(server.requests.map(\.body) == [Array("body text".utf8)])
        await server.shutDown()
    }

    @Test(arguments: [false, true])
    func `a large body is sent with back-pressure`(isHTTPTwo: Bool) async throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let tls = try CheckBench.tls { $0.applicationProtocols = isHTTPTwo ? ["h2"] : [] }
        let (report, server) = try await CheckBench().check([.serve(ScriptedResponse(204))], tls: tls) { probe in
            probe.request = ProbeRequest(method: "PUT", body: .bytes(body))
        }
        #expect(report.verdict == .ok, "\(report.findings) \(server.connectionErrors)")
        let isWhole = server.requests.first?.body == body
        #expect(isWhole)
    }

    @Test(arguments: [
        ScriptedResponse.Framing.length, .chunks(of: 3), .close,
    ])
    func `each framing of a body is understood`(framing: ScriptedResponse.Framing) async throws {
        var response = ScriptedResponse.text("0123456789")
        response.framing = framing
        let (report, _) = try await CheckBench().check([.serve(response)])
        #expect(report.verdict == .ok)
        #expect(report.hop.response?.bodyBytes == 10)
    }

    @Test
    func `HTTP 1.0 is understood`() async throws {
        let (report, _) = try await CheckBench().check([
            .receiveRequest, .send("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nold body"), .close,
        ])
        #expect(report.verdict == .ok)
        #expect(report.hop.response?.httpVersion == "1.0")
        #expect(report.hop.response?.bodyBytes == 8)
    }

    @Test
    func `informational responses are skipped, up to a limit`() async throws {
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let (few, _) = try await CheckBench().check([
            .receiveRequest, .send(hint + hint), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        ])
        #expect(few.verdict == .ok)
        #expect(few.hop.response?.status == 200)
        let (many, _) = try await CheckBench().check([.receiveRequest, .sendEndlessly(Array(hint.utf8))])
        #expect(many.verdict == .failed(.httpMalformed, .body))
    }

    @Test(arguments: [
        "Connection: close", "connection:\r\n\tclose", "Proxy-Connection: close", "A: b\r\nCONNECTION: close",
    ])
    func `an informational response cannot end the connection before the final one`(field: String) async throws {
        for status in ["100 Continue", "103 Early Hints"] {
            let (report, _) = try await CheckBench().check([
                .receiveRequest, .send("HTTP/1.1 \(status)\r\n\(field)\r\n\r\n"), .respond(.text("hello")),
            ])
            #expect(report.verdict == .ok, "\(report.findings)")
            #expect(report.hop.response?.bodyBytes == 5)
        }
    }

    @Test
    func `whitespace around a field's value is not part of it`() async throws {
        let fields = "X-A: a\r\nX-B:b \t \r\nX-C: \t c d\t\r\nX-D:\t \r\nX-E: e\r\n \r\nX-F: f\u{A0} \r\n"
        let (report, _) = try await CheckBench().check([
            .receiveRequest, .send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0 \r\n\r\n"),
        ])
        #expect(report.verdict == .ok, "\(report.findings)")
        let values = report.hop.response?.headers.map(\.value)
        #expect(values == ["a", "b", "c d", "", "e", "f\u{A0}", "0"])
    }

    @Test(arguments: [
        ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n"),
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nContent-Encoding: br\r\n\r\n"),
    ])
    func `a response without a body ends with its header`(method: String, text: String) async throws {
        let codes = try StatusCodes(parsing: "200-399")
        // Content of such a response arrives with the header, and is dropped.
        for content in ["", "hello"] {
            let (report, _) = try await CheckBench().check([.receiveRequest, .send(text + content)]) { probe in
                probe.request = ProbeRequest(method: method)
                probe.expectations.acceptableStatusCodes = codes
            }
            #expect(report.verdict == .ok, "\(report.findings)")
            #expect(report.hop.response?.bodyBytes == 0)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", FindingCode.httpTruncated),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", .httpTruncated),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", .httpMalformed),
        ("HTTP/1.1 200 OK\r\nContent-Le", .httpTruncated), ("", .connectionClosed), ("HTTP", .httpTruncated),
        ("SSH-2.0-OpenSSH_9.2\r\n", .httpMalformed), ("HTTP/1.1 abc OK\r\n\r\n", .httpMalformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .httpMalformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .httpMalformed),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx", .httpContentEncoding),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: 1\r\n\r\nx", .httpContentEncoding),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", .httpContentEncoding),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", .httpMalformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", .httpTooLarge),
        ("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n", .httpTooLarge),
    ])
    func `each broken response has its code`(text: String, code: FindingCode) async throws {
        let (report, _) = try await CheckBench().check([.receiveRequest, .send(text), .close])
        #expect(report.verdict.code == code)
        #expect(report.findings.map(\.code) == [code])
    }

    @Test(arguments: [
        ("Content-Encoding: br\r\nContent-Length: 1\r\n\r\nx", [FindingCode.httpStatus, .httpContentEncoding]),
        ("Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", [.httpStatus, .httpContentEncoding]),
        ("Content-Length: 2000000\r\n\r\n", [.httpStatus, .httpTooLarge]),
        ("Content-Length: 10\r\n\r\nabc", [.httpTruncated]),
    ])
    func `a refused status precedes its refused content, and not a broken connection`(
        rest: String,
        codes: [FindingCode]
    ) async throws {
        let (report, _) = try await CheckBench().check([
            .receiveRequest, .send("HTTP/1.1 404 Not Found\r\n\(rest)"), .close,
        ])
        #expect(report.findings.map(\.code) == codes)
        #expect(report.verdict == codes.first.map { .failed($0, .body) })
        let evidence = try #require(report.findings.first?.evidence)
        #expect(report.decidingEvidence?.hasSuffix(evidence) == true)
        #expect(report.hop.response?.status == 404)
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.2\r\n", "the response is not HTTP: it does not begin with 'HTTP/'"),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "the response breaks the rules of HTTP: a line does not end with"),
        ("HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n", "the response breaks the rules of HTTP: a line does not end with"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
            "the response breaks the rules of HTTP: it has a second Content-Length field"
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
            "the response breaks the rules of HTTP: Content-Length is not one number, or it comes with Transfer-Encoding"
        ),
        ("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "the response breaks the rules of HTTP: a header field has a character"),
        ("HTTP/1.1 200 OK\r\n A: b\r\n\r\n", "the response breaks the rules of HTTP: a header field has a character"),
        ("HTTP/3.0 200 OK\r\n\r\n", "the response breaks the rules of HTTP: its version is neither 1.0 nor 1.1"),
    ])
    func `the evidence names the broken rule`(text: String, evidence: String) async throws {
        let (report, _) = try await CheckBench().check([.receiveRequest, .send(text), .close])
        #expect(report.verdict.code == .httpMalformed)
        #expect(report.findings.first?.evidence.hasPrefix(evidence) == true, "\(report.findings)")
    }

    @Test(arguments: [1, 7, 4096])
    func `a folded header field is one field`(piece: Int) async throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>;\r\n\trel=preload\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 6\r\n\r\n body\n"
        let (report, _) = try await CheckBench().check([
            .receiveRequest, .sendSlowly(Array(text.utf8), piece: piece, interval: .milliseconds(1)), .close,
        ])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hop.response?.headers.first { $0.isNamed("x-folded") }?.value == "a  b")
        #expect(report.hop.response?.bodyBytes == 6)
    }

    @Test
    func `a reset before the response has its own code`() async throws {
        let (report, _) = try await CheckBench().check([.receiveRequest, .reset])
        #expect(report.verdict == .failed(.connectionReset, .firstByte))
    }

    @Test(arguments: [
        ServerStep.sendEndlessHeader(), .sendEndlessHeader("X: \(String(repeating: "x", count: 4000))"),
        .sendEndlessly(Array(repeating: UInt8(ascii: "x"), count: 4096)),
    ])
    func `an endless header is cut off`(step: ServerStep) async throws {
        let (report, server) = try await CheckBench().check([
            .receiveRequest, .send("HTTP/1.1 200 OK\r\nX-Start: "), step,
        ])
        #expect(report.verdict == .failed(.httpHeaderTooLarge, .body))
        await server.ended(connections: 1)
    }

    @Test
    func `an endless status line is cut off`() async throws {
        let (report, _) = try await CheckBench().check([
            .receiveRequest, .send("HTTP/1.1 200 "), .sendEndlessly(Array(repeating: UInt8(ascii: "x"), count: 4096)),
        ])
        #expect(report.verdict == .failed(.httpHeaderTooLarge, .body))
    }

    @Test
    func `an endless body is cut off`() async throws {
        let head = ServerStep.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let (report, server) = try await CheckBench().check([.receiveRequest, head, .sendEndlessChunks()])
        #expect(report.verdict == .failed(.httpTooLarge, .body))
        #expect(report.hop.response?.bodyBytes == 1024 * 1024)
        await server.ended(connections: 1)
    }

    @Test
    func `compressed bodies are inflated within limits`() async throws {
        let (small, _) = try await CheckBench().check([.serve(.gzip("inflated text"))])
        #expect(small.verdict == .ok)
        #expect(small.hop.response?.decodedBodyBytes == 13)
        #expect(small.hop.response?.headers.contains { $0.name == "Content-Encoding" } == true)
        let (bomb, _) = try await CheckBench().check([.serve(.gzipBomb(of: 64 << 20))])
        #expect(bomb.verdict == .failed(.httpTooLarge, .body))
    }

    @Test
    func `a truncated compressed body is broken`() async throws {
        var response = ScriptedResponse.gzip("inflated text")
        response.body.removeLast(4)
        let (report, _) = try await CheckBench().check([.serve(response)])
        #expect(report.verdict == .failed(.httpContentEncoding, .body))
    }

    @Test
    func `an answer before the request was read ends the check`() async throws {
        let (report, _) = try await CheckBench().check([
            .send("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"), .silence,
        ]) {
            $0.request = ProbeRequest(method: "PUT", body: .bytes([UInt8](repeating: 1, count: 30_000_000)))
        }
        #expect(report.hop.response?.status == 413)
        #expect(report.hop.phases.last?.phase == .body)
        #expect(report.hop.phases.filter { $0.phase != .request }.allSatisfy { $0.isComplete })
    }
}
