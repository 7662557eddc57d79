import ProbeTestKit
import Testing

@testable import Probes

/// Transfers over HTTP/2 connections that the server ends, or on which it allows few streams.
///
/// The frames are written here, because it matters which of them arrive together.
@Suite
struct TransferHTTPTwoTests {
    private static let size = 100_000
    private static let serving: [ServerStep] = [
        .serve(["/large": TransferBench.object(size), "/sink": ScriptedResponse(204)])
    ]
    /// GOAWAY with NO_ERROR, which concerns no stream that the client has opened (RFC 9113, section 6.8).
    private static let goAway = frame(7, [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    /// SETTINGS_MAX_CONCURRENT_STREAMS of 1.
    private static let oneStream: [UInt8] = [0, 3, 0, 0, 0, 1]

    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        HTTPTwoBlameTests.frame(type, flags: flags, stream: stream, payload)
    }

    /// The head of a response of the object's length.
    private static func head(_ stream: UInt8, endsStream: Bool = true) -> [UInt8] {
        let fields = [0x88] + HTTPTwoBlameTests.field("content-length", "\(size)")
        return frame(1, flags: endsStream ? 5 : 4, stream: stream, fields)
    }

    /// Half of the object, on the second stream; less than the initial window.
    private static func half(endsStream: Bool = false) -> [UInt8] {
        let piece = [UInt8](repeating: 7, count: size / 10)
        return (1...5).flatMap { frame(0, flags: endsStream && $0 == 5 ? 1 : 0, stream: 3, piece) }
    }

    /// A reset of a stream with ENHANCE_YOUR_CALM.
    private static func reset(_ stream: UInt8) -> [UInt8] { frame(3, stream: stream, [0, 0, 0, 11]) }

    /// Answers the first request, for the head.
    private static func begin(settings: [UInt8] = []) -> [ServerStep] {
        [.receive(24), .receiveFrame(1), .send(frame(4, settings) + frame(4, flags: 1) + head(1))]
    }

    /// Makes a transfer, and opens a gate once the server has recorded a number of requests.
    private func transfer(
        _ plan: TransferPlan,
        _ scripts: [[ServerStep]],
        opening gate: ServerGate = ServerGate(),
        after count: Int = 1
    ) async throws -> (report: CheckReport, server: ScriptedServer) {
        var bench = TransferBench()
        (bench.plan, bench.uploadPath) = (plan, "/sink")
        return try await bench.transfer(
            scripts,
            tls: TransferBench.tls(.http2),
            meanwhile: { server in
                await server.received(requests: count)
                gate.open()
            }
        )
    }

    @Test
    func `a connection whose end is announced carries its download to the end, and no other request`() async throws {
        let gate = ServerGate()
        let download: [ServerStep] = [
            .receiveFrame(1), .send(Self.head(3, endsStream: false) + Self.half() + Self.goAway), .wait(gate),
            .send(Self.half(endsStream: true)),
        ]
        let (report, server) = try await transfer(
            TransferPlan(downloadBytes: Self.size, uploadBytes: 1000),
            [Self.begin() + download, Self.serving],
            opening: gate,
            after: 11
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        let transfer = try #require(report.transfer)
        #expect(transfer.download?.bytes == Self.size)
        #expect(transfer.download?.loaded.map { $0.same == nil && $0.separate != nil } == true)
        #expect(transfer.upload?.bytes == 1000)
        #expect(server.requests.filter { $0.method == "POST" }.map(\.connection) == [2])
    }

    @Test
    func `a connection whose end is announced carries its upload to the end`() async throws {
        let gate = ServerGate()
        let window: [UInt8] = [0, 0x10, 0, 0]
        let upload: [ServerStep] = [
            .receiveFrame(1), .receiveFrame(0), .send(Self.goAway), .wait(gate),
            .send(Self.frame(8, window) + Self.frame(8, stream: 3, window)),
            // The client has sent no more than the initial window of 65,535 bytes before.
            .receive(Self.size), .send(Self.frame(1, flags: 5, stream: 3, [0x89])),
        ]
        let (report, server) = try await transfer(
            TransferPlan(uploadBytes: 200_000),
            [Self.begin() + upload, Self.serving],
            opening: gate,
            after: 11
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.upload?.bytes == 200_000)
        #expect(report.transfer?.upload?.loaded.map { $0.same == nil } == true)
        #expect(server.connections == 2)
    }

    @Test(arguments: [(head(5) + goAway, 3), (reset(5), 2)] as [([UInt8], Int)])
    func `the idle round trips end with a connection that ends, or with a request that fails`(
        answer: [UInt8],
        count: Int
    ) async throws {
        let small: [ServerStep] = [.receiveFrame(1), .send(Self.head(3)), .receiveFrame(1), .send(answer), .silence]
        let (report, _) = try await transfer(
            TransferPlan(downloadBytes: Self.size),
            [Self.serving, Self.begin() + small, Self.serving]
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.idle?.count == count)
        #expect(report.transfer?.download?.bytes == Self.size)
    }

    @Test
    func `small requests that fail under load continue on another connection`() async throws {
        let gate = ServerGate()
        let download: [ServerStep] = [
            .receiveFrame(1), .send(Self.head(3, endsStream: false) + Self.half()), .wait(gate),
            .send(Self.half(endsStream: true)),
        ]
        let idle: [ServerStep] = (1...7).flatMap { [.receiveFrame(1), .send(Self.head(UInt8(2 * $0 + 1)))] }
        let (report, server) = try await transfer(
            TransferPlan(downloadBytes: Self.size),
            [
                Self.begin(settings: Self.oneStream) + download,
                Self.begin() + idle + [.receiveFrame(1), .send(Self.reset(17)), .silence], Self.serving,
            ],
            opening: gate,
            after: 2
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.idle?.count == 8)
        #expect(report.transfer?.download?.loaded?.separate.map { $0.count > 0 } == true)
        #expect(server.connections == 3)
    }

    @Test
    func `where the server allows one stream, no small request waits for the end of the download`() async throws {
        let gate = ServerGate()
        let download: [ServerStep] = [
            .receiveFrame(1), .send(Self.head(3, endsStream: false) + Self.half()), .wait(gate),
            .send(Self.half(endsStream: true)), .receiveFrame(1), .send(Self.head(5)),
        ]
        let (report, _) = try await transfer(
            TransferPlan(downloadBytes: Self.size),
            [Self.begin(settings: Self.oneStream) + download, Self.serving],
            opening: gate,
            after: 11
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.loaded.map { $0.same == nil && $0.separate != nil } == true)
    }
}
