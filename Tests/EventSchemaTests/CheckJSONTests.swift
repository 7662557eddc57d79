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

    /// A download that went on over another uplink, and an upload that ended before there was a window.
    static let transferred: CheckResults.CheckReport = {
        var download = TransferLeg(wantedBytes: 5_000_000)
        download.bytes = 5_000_000
        download.duration = .milliseconds(1214)
        download.timeToFirstByte = .microseconds(21_300)
        download.goodput = Goodput(
            p50: 38_214_999.7,
            p95: 41_000_000,
            mean: 36_900_000.2,
            windows: 9,
            slowStart: .milliseconds(300)
        )
        download.retransmissions = 0
        download.loaded = LoadedRoundTrips(
            separate: RoundTrips(
                count: 12,
                minimum: .milliseconds(20),
                p50: .microseconds(44_512),
                p95: .milliseconds(61)
            ),
            same: RoundTrips(count: 11, minimum: .milliseconds(22), p50: .milliseconds(47), p95: .milliseconds(70)),
            perMinute: 1311.4,
            added: .microseconds(24_512)
        )
        var upload = TransferLeg(wantedBytes: 1_000_000)
        upload.bytes = 65_536
        var report = CheckResults.CheckReport(
            target: "https://speed.test/large",
            verdict: .failed(.connectionReset, .body),
            findings: [],
            hops: [],
            started: started,
            duration: .milliseconds(3400)
        )
        report.transfer = TransferReport(
            download: download,
            upload: upload,
            idle: RoundTrips(count: 8, minimum: .milliseconds(19), p50: .milliseconds(20), p95: .milliseconds(23)),
            seams: [
                TransferSeam(
                    offset: 3_145_728,
                    code: .pathChanged,
                    pause: .milliseconds(840),
                    from: "wlan0",
                    to: "wwan0",
                    isRestarted: true
                )
            ]
        )
        return report
    }()

    @Test("a rate that is not finite is written as 0, and a huge one is capped")
    func rates() {
        var report = Self.transferred
        let goodput = Goodput(p50: .nan, p95: .infinity, mean: 1e300, windows: 1, slowStart: .zero)
        report.transfer?.download?.goodput = goodput
        let text = Self.json(report).text
        #expect(text.contains(#""p50_bps":0,"p95_bps":0,"mean_bps":1000000000000000,"#))
    }

    private static func json(_ report: CheckResults.CheckReport) -> JSONWriter {
        var json = JSONWriter()
        json.encode(AgentEvents.CheckReport(report))
        return json
    }

    @Test(
        "the bytes of a report match its golden file",
        arguments: [("check.refused", refused), ("check.ok", answered), ("check.transfer", transferred)]
            as [(String, CheckResults.CheckReport)]
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

    @Test("a cookie is a secret and is never written")
    func cookies() {
        let json = Self.json(Self.answered)
        #expect(json.text.contains("set-cookie"))
        #expect(!json.text.contains("secret"))
    }

    @Test("a body kept in a report is never written")
    func bodies() {
        let json = Self.json(Self.answered)
        #expect(Self.answered.hops.first?.response?.body != nil)
        #expect(!json.text.contains("the body itself"))
    }

    @Test("a certificate's remaining days count from the start of the check, and are negative after its expiry")
    func daysLeft() {
        let json = Self.json(Self.refused)
        #expect(json.text.contains("\"days_left\":-3"))
    }

    @Test(
        "a date is clamped to the range that RFC 3339 can represent",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000000Z"), (1_795_244_400.5, "2026-11-21T07:00:00.500000Z"),
            (-1e15, "0001-01-01T00:00:00.000000Z"), (1e18, "9999-12-31T23:59:59.000000Z"),
        ]
    )
    func dates(_ seconds: Double, _ text: String) {
        #expect(Timestamp(Date(timeIntervalSince1970: seconds)).description == text)
    }
}
