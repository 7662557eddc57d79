import AgentEvents
import CheckResults
import Foundation
import ServerTrust
import Testing

@testable import ReachAgent

/// The bytes of a check's report, frozen in `Golden/`; see ``GoldenTests``.
struct CheckJSONTests {
    static let started = Date(timeIntervalSince1970: 1_795_244_400.123456)

    static let certificate = CertificateDescription(
        subject: "CN=host.test",
        subjectAlternativeNames: ["host.test", "192.0.2.7"],
        issuer: "CN=Test Root",
        notValidBefore: Date(timeIntervalSince1970: 1_767_225_600),
        notValidAfter: Date(timeIntervalSince1970: 1_795_000_000),
        serialNumber: "0a1b",
        sha256: "00ff",
        publicKeyPin: PublicKeyPin(subjectPublicKeyInfo: [1, 2, 3]),
        key: "ECDSA P-256",
        signature: "ECDSA with SHA-256",
        isCertificateAuthority: false
    )

    static let refused: CheckResults.CheckReport = {
        let expired = CheckResults.Finding(
            .tlsExpired,
            subject: "CN=host.test",
            evidence: "ended \"2026-11-18\"\u{1B}[31m"
        )
        var hop = CheckResults.CheckHop(url: "https://host.test/")
        hop.phases = [
            PhaseTiming(phase: .resolve, start: .zero, duration: .microseconds(1200), isComplete: true),
            PhaseTiming(phase: .connect, start: .microseconds(1200), duration: .milliseconds(8), isComplete: true),
            PhaseTiming(phase: .tls, start: .microseconds(9200), duration: .milliseconds(12), isComplete: false),
        ]
        hop.lookups = [
            LookupReport(
                family: .ipv4,
                start: .zero,
                duration: .microseconds(1100),
                addresses: ["192.0.2.7"]
            ),
            LookupReport(
                family: .ipv6,
                start: .zero,
                duration: .microseconds(1200),
                failure: CheckResults.Finding(.dnsNoAddress, subject: "host.test", evidence: "No address associated")
            ),
        ]
        hop.addresses = ["2001:db8::7", "192.0.2.7"]
        hop.attempts = [
            ConnectAttempt(
                address: "[2001:db8::7]:443",
                start: .microseconds(1200),
                duration: .microseconds(300),
                failure: CheckResults.Finding(.noRoute, subject: "[2001:db8::7]:443", evidence: "ENETUNREACH"),
                isUsed: false
            ),
            ConnectAttempt(
                address: "192.0.2.7:443",
                start: .microseconds(1500),
                duration: .microseconds(7700),
                failure: nil,
                isUsed: true
            ),
        ]
        (hop.localAddress, hop.peerAddress, hop.interface) = ("192.0.2.2:50000", "192.0.2.7:443", "wlan0")
        var tls = TLSReport(serverName: "host.test")
        tls.trust = CheckResults.TrustVerdict(
            isAccepted: false,
            findings: [expired],
            presentedChain: [certificate],
            validatedChain: [],
            date: started,
            pinAudit: PinAudit(entries: [
                PinAudit.Entry(pin: "sha256//AAAA", isMatched: false, isBackup: false),
                PinAudit.Entry(pin: "sha256//BBBB", isMatched: true, isBackup: true),
            ])
        )
        hop.tls = tls
        return CheckResults.CheckReport(
            target: "https://host.test/",
            verdict: .failed(.tlsExpired, .tls),
            findings: [expired],
            hops: [hop],
            started: started,
            duration: .microseconds(21_200)
        )
    }()

    static let answered: CheckResults.CheckReport = {
        var hop = CheckResults.CheckHop(url: "http://192.0.2.7/")
        hop.response = ResponseReport(
            httpVersion: "1.1",
            status: 200,
            headers: [
                HeaderField(name: "Content-Type", value: "text/plain"),
                HeaderField(name: "set-cookie", value: "session=secret"),
            ],
            bodyBytes: 20,
            decodedBodyBytes: 400
        )
        hop.response?.body = Array("the body itself".utf8)
        var report = CheckResults.CheckReport(
            target: "http://192.0.2.7/",
            verdict: .ok,
            findings: [],
            hops: [hop],
            started: started,
            duration: .milliseconds(3)
        )
        (report.bytesSent, report.bytesReceived, report.bytesOnWire) = (78, 412, 1530)
        return report
    }()

    private static func json(_ report: CheckResults.CheckReport) -> JSONWriter {
        var json = JSONWriter()
        json.encode(AgentEvents.CheckReport(report))
        return json
    }

    @Test(
        "the bytes of a report are those of its golden file",
        arguments: [("check.refused", refused), ("check.ok", answered)] as [(String, CheckResults.CheckReport)]
    )
    func golden(_ name: String, _ report: CheckResults.CheckReport) throws {
        let json = Self.json(report)
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json")
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try (json.text + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == json.text + "\n")
        #expect(try JSONSerialization.jsonObject(with: Data(json.bytes)) is [String: Any])
    }

    @Test("a cookie is a secret, and never written")
    func cookies() {
        let json = Self.json(Self.answered)
        #expect(json.text.contains("set-cookie"))
        #expect(!json.text.contains("secret"))
    }

    @Test("a body that a report keeps is never written")
    func bodies() {
        let json = Self.json(Self.answered)
        #expect(Self.answered.hops.first?.response?.body != nil)
        #expect(!json.text.contains("the body itself"))
    }

    @Test("days that a certificate has left are counted from the check's beginning, and negative once it is over")
    func daysLeft() {
        let json = Self.json(Self.refused)
        #expect(json.text.contains("\"days_left\":-3"))
    }

    @Test(
        "a date becomes the nearest moment that RFC 3339 can write",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000000Z"), (1_795_244_400.5, "2026-11-21T07:00:00.500000Z"),
            (-1e15, "0001-01-01T00:00:00.000000Z"), (1e18, "9999-12-31T23:59:59.000000Z"),
        ]
    )
    func dates(_ seconds: Double, _ text: String) {
        #expect(Timestamp(Date(timeIntervalSince1970: seconds)).description == text)
    }
}
