import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct TransferHostilityTests {
    private let object = TransferBench.object()

    /// The steps up to the request of the download.
    private var untilDownload: [ServerStep] { [.receiveRequest, .send(object.head), .receiveRequest] }

    private func download(
        _ steps: [ServerStep],
        _ change: (inout TransferPlan) -> Void = { _ in }
    ) async throws -> CheckReport {
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: TransferBench.size)
        change(&bench.plan)
        return try await bench.transfer([untilDownload + steps, [.serve(object)]]).report
    }

    @Test(arguments: [true, false])
    func `a download that stalls ends with the received bytes`(hasBegun: Bool) async throws {
        let steps: [ServerStep] = hasBegun ? [.send(object.head), .send([UInt8](repeating: 7, count: 50_000))] : []
        let report = try await download(steps + [.silence]) { $0.stallTimeout = .seconds(2) }
        #expect(report.verdict.code == .transferStalled, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == (hasBegun ? 50_000 : 0))
        #expect(report.transfer?.idle?.count == 8)
    }

    @Test
    func `an upload that is not read stalls`() async throws {
        var bench = TransferBench()
        bench.plan = TransferPlan(uploadBytes: 50_000_000, stallTimeout: .seconds(2))
        let steps: [ServerStep] = [.receiveRequest, .send(object.head), .stopReading, .silence]
        let report = try await bench.transfer([steps, [.serve(object)]]).report
        #expect(report.verdict.code == .transferStalled, "\(report.findings)")
        #expect(report.transfer?.upload.map { !$0.isComplete } == true)
    }

    @Test(arguments: [ServerStep.drop, .reset, .close])
    func `an end in the middle has its code`(end: ServerStep) async throws {
        let report = try await download([.send(object.head), .send([UInt8](repeating: 7, count: 50_000)), end])
        let codes: [FindingCode] = [.httpTruncated, .connectionReset]
        #expect(codes.contains { report.verdict == .failed($0, .body) }, "\(report.findings)")
        #expect(report.transfer?.download?.isComplete == false)
    }

    @Test
    func `a body longer than announced is not read on`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        let report = try await download([.send(head), .sendEndlessly([UInt8](repeating: 7, count: 4096))])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 1000)
        #expect(report.bytesReceived < 4_000_000)
    }

    @Test
    func `an endless body is cut off at the requested bytes`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let report = try await download([.send(head), .sendEndlessChunks()])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == TransferBench.size)
    }

    @Test
    func `chunks that are nearly all extensions are cut off at the limit`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = Array("1;\(String(repeating: "x", count: 8000))\r\n7\r\n".utf8)
        let report = try await download([.send(head), .sendEndlessly(chunk)])
        #expect(report.verdict.code.map { [.byteLimit, .httpMalformed].contains($0) } == true, "\(report.findings)")
    }

    @Test(arguments: [
        (
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\nContent-Length: 10\r\n\r\n",
            FindingCode.rangeInvalid
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n", .httpStatus),
        ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", .httpStatus),
        ("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", .httpStatus),
        ("garbage\r\n\r\n", .httpMalformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .httpBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .httpBody),
    ])
    func `each wrong answer has its code`(text: String, code: FindingCode) async throws {
        let report = try await download([.send(text), .send("12345"), .silence])
        #expect(report.verdict.code == code, "\(report.findings)")
        #expect(report.transfer?.download?.goodput == nil)
        #expect(report.transfer?.download?.isComplete == false)
    }

    @Test
    func `an HTTP error of the target makes no transfer`() async throws {
        for wire in TransferBench.Wire.allCases {
            let (report, _) = try await TransferBench().transfer(
                [[.serve(ScriptedResponse(404))]],
                tls: TransferBench.tls(wire)
            )
            #expect(report.verdict.code == .httpStatus, "\(report.findings)")
            #expect(report.transfer?.download == nil)
        }
    }

    @Test
    func `an upload that the server rejects has its code`() async throws {
        for wire in TransferBench.Wire.allCases where wire != .http2 {
            var bench = TransferBench()
            bench.plan = TransferPlan(uploadBytes: 100_000)
            let refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
            let (report, _) = try await bench.transfer(
                [[.receiveRequest, .send(object.head), .receiveRequest, .send(refusal)], [.serve(object)]],
                tls: TransferBench.tls(wire)
            )
            #expect(report.verdict.code == .httpStatus, "\(report.findings)")
        }
    }

    @Test
    func `a deadline ends a transfer with its measurements so far`() async throws {
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: TransferBench.size)
        let slow: [ServerStep] = [
            .send(object.head), .sendSlowly(object.body, piece: 1000, interval: .milliseconds(10)),
        ]
        let scripts = [untilDownload + slow, [.serve(object)]]
        let report = try await timingOut(
            after: .milliseconds(1500),
            where: { $0.transfer?.download?.goodput != nil }
        ) { timeout in
            try await bench.transfer(scripts) { $0.timeout = timeout }.report
        }
        #expect(report.verdict.code == .timeout, "\(report.findings)")
        #expect(report.findings.first?.evidence.contains("bytes had arrived") == true, "\(report.findings)")
        #expect(report.transfer?.download.map { $0.bytes > 0 && $0.goodput != nil } == true)
    }

    @Test
    func `a server that closes after each answer has no round trips, but a transfer`() async throws {
        let closing = ScriptedResponse(200, headers: [("Connection", "close")], body: object.body)
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 100_000)
        let (report, _) = try await bench.transfer([[.serve(closing)]])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 100_000)
    }
}
