import ForeignText
import Foundation
import Probes
import Testing

@testable import ReachAgent

/// The text of a check's report on a terminal.
struct CheckTextTests {
    static let certificate = CertificateDescription(
        subject: "CN=host.test",
        subjectAlternativeNames: ["host.test", "www.host.test"],
        issuer: "CN=Test Intermediate",
        notValidBefore: Date(timeIntervalSince1970: 1_767_225_600),
        notValidAfter: Date(timeIntervalSince1970: 1_798_761_600),
        serialNumber: "0a1b2c",
        sha256: String(repeating: "0f", count: 32),
        publicKeyPin: PublicKeyPin(subjectPublicKeyInfo: [1, 2, 3]),
        key: "ECDSA P-256",
        signature: "ECDSA with SHA-256",
        isCertificateAuthority: false
    )

    static func phase(_ phase: Phase, _ start: Int, _ length: Int, complete: Bool = true) -> PhaseTiming {
        PhaseTiming(
            phase: phase,
            start: .microseconds(start),
            duration: .microseconds(length),
            isComplete: complete
        )
    }

    static func report(_ trust: TrustVerdict, verdict: CheckVerdict, findings: [Finding]) -> CheckReport {
        var hop = CheckHop(url: "https://host.test/")
        hop.phases = [
            phase(.resolve, 0, 1200), phase(.connect, 1200, 8050), phase(.tls, 9250, 12_300),
            phase(.request, 21_550, 60), phase(.firstByte, 21_610, 18_000), phase(.body, 39_610, 420),
        ]
        hop.addresses = ["2001:db8::7", "192.0.2.7"]
        hop.peerAddress = "192.0.2.7:443"
        hop.interface = "wlan0"
        var tls = TLSReport(serverName: "host.test")
        tls.version = "TLSv1.3"
        tls.applicationProtocol = "h2"
        tls.trust = trust
        hop.tls = tls
        hop.response = ResponseReport(
            httpVersion: "2",
            status: 200,
            headers: [HeaderField(name: "content-type", value: "text/html; charset=utf-8")],
            bodyBytes: 512
        )
        return CheckReport(
            target: "https://host.test/",
            verdict: verdict,
            findings: findings,
            hops: [hop],
            started: Date(timeIntervalSince1970: 1_795_244_400),
            duration: .microseconds(40_030)
        )
    }

    static let accepted = TrustVerdict(
        isAccepted: true,
        findings: [],
        presentedChain: [certificate],
        validatedChain: [certificate, authority],
        date: Date(timeIntervalSince1970: 1_795_244_400)
    )

    static let authority = CertificateDescription(
        subject: "CN=Test Intermediate",
        subjectAlternativeNames: [],
        issuer: "CN=Test Intermediate",
        notValidBefore: Date(timeIntervalSince1970: 1_767_225_600),
        notValidAfter: Date(timeIntervalSince1970: 1_795_000_000),
        serialNumber: "01",
        sha256: "aa",
        publicKeyPin: nil,
        key: "RSA 2048",
        signature: "RSA with SHA-256",
        isCertificateAuthority: true
    )

    @Test("the cause comes first, then the phases on one axis, then the chain")
    func failed() {
        let finding = Finding(.httpContentType, subject: "Content-Type", evidence: "expected text/json, got text/html")
        let report = Self.report(Self.accepted, verdict: .failed(.httpContentType, .body), findings: [finding])
        let text = CheckText(style: TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)).text(report)
        #expect(
            text == """
                failed  https://host.test/  http_content_type in phase body, after 40.0 ms

                error http_content_type
                  The media type is not one of the accepted ones.
                  seen  Content-Type: expected text/json, got text/html
                  do    HTML where something else was due is often a login page.

                warning certificate expires in 40 days
                  seen  CN=host.test
                  do    Renew it, and make the server load the new one.

                  resolve      1.20 ms  █                         2001:db8::7, 192.0.2.7
                  connect      8.05 ms  █████                     192.0.2.7:443, over wlan0
                  tls          12.3 ms       ███████              TLSv1.3, h2
                  request      0.06 ms              █
                  first byte   18.0 ms              ███████████   HTTP/2 200
                  body         0.42 ms                         █  512 bytes, text/html; chars...

                  certificate  CN=host.test
                               2026-01-01 to 2027-01-01, 40 days left
                    names      host.test, www.host.test
                    issuer     CN=Test Intermediate
                    key        ECDSA P-256, signed with ECDSA with SHA-256
                    serial     0a1b2c
                    SHA-256    \(Self.certificate.sha256)
                    pin        sha256//A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=
                  trusted root CN=Test Intermediate
                               2026-01-01 to 2026-11-18, ended 3 days ago
                """
        )
    }

    @Test(arguments: [(FindingCode.tlsCertificateProfile, true), (.httpBody, false)])
    func `a note has the sentence of its code, unless that is the sentence of a failure`(
        code: FindingCode,
        hasSentence: Bool
    ) {
        var block = TextBlock(columns: 120)
        let note = Finding(code, .note, subject: "host.test", evidence: "what was found")
        FindingText(style: .plain).add([note], to: &block)
        #expect(block.text.contains(code.sentence) == hasSentence, "\(block.text)")
        #expect(block.text.contains("seen  host.test: what was found"), "\(block.text)")
    }

    @Test("an incomplete phase is marked as such, and without UTF-8 there is only ASCII")
    func incomplete() {
        let trust = TrustVerdict(
            isAccepted: false,
            findings: [],
            presentedChain: [Self.certificate],
            validatedChain: [],
            date: Date(timeIntervalSince1970: 1_795_244_400)
        )
        var report = Self.report(trust, verdict: .unknown(.cancelled, .firstByte), findings: [])
        report.hops[0].phases.removeLast()
        report.hops[0].phases[4].isComplete = false
        let text = CheckText(style: .plain).text(report)
        #expect(text.hasPrefix("not checked  https://host.test/  cancelled in phase first byte, after 40.0 ms"))
        #expect(text.contains("xxxxxxxxxxx   HTTP/2 200, not completed"))
        #expect(text.contains("(as presented; no chain was verified)"))
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("every hop of a redirect is shown with its destination")
    func redirects() {
        var report = Self.report(Self.accepted, verdict: .ok, findings: [])
        report.hops[0].response = ResponseReport(
            httpVersion: "1.1",
            status: 302,
            headers: [HeaderField(name: "Location", value: "https://host.test/\u{1B}[2Jlogin")]
        )
        report.hops.append(report.hops[0])
        report.hops[1].url = "https://host.test/login"
        let text = CheckText(style: .plain).text(report)
        #expect(text.hasPrefix("ok  https://host.test/  in 40.0 ms"))
        #expect(text.contains("1 https://host.test/\n"))
        #expect(text.contains("2 https://host.test/login\n"))
        #expect(text.contains("redirects to https://host.test/\\u{1b}[2Jlogin"))
    }

    @Test("failed attempts are listed with their reason")
    func attempts() {
        var report = Self.report(Self.accepted, verdict: .ok, findings: [])
        let failure = Finding(.connectRefused, subject: "x", evidence: "ECONNREFUSED")
        report.hops[0].attempts = [
            ConnectAttempt(
                address: "[2001:db8::7]:443",
                start: .zero,
                duration: .microseconds(250),
                failure: failure,
                isUsed: false
            ),
            ConnectAttempt(
                address: "192.0.2.7:443",
                start: .zero,
                duration: .milliseconds(8),
                failure: nil,
                isUsed: true
            ),
        ]
        let text = CheckText(style: .plain).text(report)
        let failed = "[2001:db8::7]:443 failed after 0.25 ms: connect_refused,\n             ECONNREFUSED"
        #expect(text.contains(failed), "\(text)")
    }

    @Test func `the command that decides about a portal keeps the path of the check`() {
        var hop = CheckHop(url: "http://open.test/")
        hop.response = ResponseReport(httpVersion: "1.1", status: 511, headers: [], bodyBytes: 0)
        let report = CheckReport(
            target: hop.url,
            verdict: .failed(.httpStatus, .body),
            findings: [],
            hops: [hop],
            started: Date(timeIntervalSince1970: 1_795_244_400),
            duration: .milliseconds(40)
        )
        var text = CheckText(style: .plain)
        text.egress = ["--interface", "wlan0", "--ipv4"]
        #expect(text.text(report).contains("reachagent probe --portal --interface wlan0 --ipv4 http://open.test/"))
    }

    @Test(
        "text from the network cannot move the cursor or change the reading direction",
        arguments: [
            ("plain ä 漢", "plain ä 漢"), ("\u{1B}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"), ("a\nb\rc", "a\\u{a}b\\u{d}c"),
            ("\u{202E}txt", "\\u{202e}txt"), ("\u{9B}31m", "\\u{9b}31m"), ("\u{2028}", "\\u{2028}"),
        ]
    )
    func safeText(_ text: String, _ shown: String) {
        #expect(ForeignText.line(text) == shown)
    }

    @Test("text from the network is truncated at its limit")
    func limit() {
        #expect(ForeignText.line(String(repeating: "a", count: 3000)) == String(repeating: "a", count: 2048) + "…")
    }

    @Test(
        "times have as many decimals as matter",
        arguments: [
            (Duration.zero, "0.00 ms"), (.microseconds(42), "0.04 ms"), (.microseconds(9_999), "10.00 ms"),
            (.microseconds(12_345), "12.3 ms"), (.milliseconds(4503), "4503 ms"), (.seconds(-1), "0.00 ms"),
            (.seconds(Int64.max), "9223372036854776 ms"),
        ]
    )
    func durations(_ duration: Duration, _ text: String) {
        #expect(DurationText.milliseconds(duration) == text)
    }

    @Test("colours are used only if the terminal has them")
    func colours() {
        #expect(TerminalStyle.plain.paint("x", .red) == "x")
        #expect(
            TerminalStyle(hasColour: true, hasUnicode: true, columns: 80).paint("x", .red) == "\u{1B}[31mx\u{1B}[0m"
        )
    }

    @Test("long texts are wrapped beside their label")
    func wrapping() {
        var block = TextBlock(columns: 24)
        block.add("seen", "one two three four five six", indent: 2, labelWidth: 6)
        #expect(block.lines == ["  seen  one two three", "        four five six"])
    }
}
