import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct TLSRecordTests {
    @Test(
        arguments: [ServerTLS.Version.tls12, .tls13],
        [
            // A record that cannot be decrypted, plain text, and an alert in plain text.
            [23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32), Array("HTTP/1.1 204 No Content\r\n\r\n".utf8),
            [21, 3, 3, 0, 2, 2, 40],
        ] as [[UInt8]]
    )
    func `a damaged or injected record after the handshake is no failure of the handshake`(
        version: ServerTLS.Version,
        bytes: [UInt8]
    ) async throws {
        let (report, _) = try await CheckBench().check(
            [.receiveRequest, .sendUnencrypted(bytes), .silence],
            tls: CheckBench.tls { $0.maximumVersion = version },
            host: "host.test"
        )
        #expect(report.verdict == .failed(.tlsRecord, .firstByte), "\(report.findings)")
        #expect(report.findings.map(\.code) == [.tlsRecord])
        #expect(report.findings.first?.evidence.hasPrefix("after the handshake: ") == true, "\(report.findings)")
        #expect(report.hop.phases.contains { $0.phase == .tls && $0.isComplete })
    }
}
