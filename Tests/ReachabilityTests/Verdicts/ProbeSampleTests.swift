import CheckResults
import NetlinkMonitor
import Testing

import struct FoundationEssentials.Date

@testable import Reachability

/// The sample that the state machine receives for a check's report.
struct ProbeSampleTests {
    private func report(
        _ verdict: CheckVerdict,
        findings: [Finding] = [],
        chain: [CertificateDescription]? = nil
    ) -> CheckReport {
        var hops = [CheckHop(url: "https://a.test/")]
        if let chain {
            hops[0].tls = TLSReport()
            hops[0].tls?.trust = TrustVerdict(
                isAccepted: verdict == .ok,
                findings: [],
                presentedChain: chain,
                validatedChain: [],
                date: Date(timeIntervalSince1970: 0)
            )
            hops[0].tls?.trust?.pinAudit = PinAudit(entries: [])
        }
        return CheckReport(
            target: "https://a.test/",
            verdict: verdict,
            findings: findings,
            hops: hops,
            started: Date(timeIntervalSince1970: 0),
            duration: .milliseconds(42)
        )
    }

    private func sample(_ report: CheckReport) -> ProbeSample {
        ProbeSample(point: ScriptedCheck.point, report: report, observed: ScriptedCheck.time(0))
    }

    private func certificate(_ hash: String, isDecodable: Bool = true, subject: String = "CN=a")
        -> CertificateDescription
    {
        CertificateDescription(
            subject: subject,
            subjectAlternativeNames: [],
            issuer: "CN=b",
            notValidBefore: Date(timeIntervalSince1970: 1),
            notValidAfter: isDecodable ? Date(timeIntervalSince1970: 2) : nil,
            serialNumber: "01",
            sha256: hash,
            publicKeyPin: nil,
            key: "",
            signature: "",
            isCertificateAuthority: false
        )
    }

    @Test("a success has no code and no detail")
    func success() {
        let warning = Finding(.tlsExpired, .warning, subject: "CN=a", evidence: "soon")
        let sample = sample(report(.ok, findings: [warning], chain: [certificate("aa")]))
        #expect(sample.outcome == .ok)
        #expect(sample.code == nil)
        #expect(sample.detail == nil)
        #expect(sample.latency == .milliseconds(42))
        #expect(sample.certificates.map(\.isVerified) == [true])
        #expect(sample.pins == PinAudit(entries: []))
    }

    @Test func `a redirection is an answer, whatever comes of it`() {
        var report = report(.failed(.connectTimeout, .connect))
        #expect(sample(report).wasAnswered == nil)
        report.hops.append(CheckHop(url: "http://b.test/"))
        report.hops[0].response = ResponseReport(httpVersion: "1.1", status: 302, headers: [])
        #expect(sample(report).wasAnswered == true)
    }

    @Test func `an ICMP error of the target is an answer, and that of a router is none`() {
        var finding = Finding(.icmpUnreachable, subject: "192.0.2.1", evidence: "192.0.2.1 answered: port unreachable")
        #expect(sample(report(.failed(.icmpUnreachable, .echo), findings: [finding])).wasAnswered == nil)
        finding.isFromTarget = true
        #expect(sample(report(.failed(.icmpUnreachable, .echo), findings: [finding])).wasAnswered == true)
    }

    @Test(
        "a check has ended over TLS if the handshake with the last server completed",
        arguments: [(["tls"], true), ([nil], nil), ([nil, "tls"], true), (["tls", nil], nil), ([nil, "cut"], nil)]
            as [([String?], Bool?)]
    )
    func overTLS(handshakes: [String?], expected: Bool?) {
        var report = report(.ok)
        report.hops = handshakes.map { handshake in
            var hop = CheckHop(url: "https://a.test/")
            if let handshake {
                let isComplete = handshake == "tls"
                hop.phases = [PhaseTiming(phase: .tls, start: .zero, duration: .zero, isComplete: isComplete)]
            }
            return hop
        }
        #expect(sample(report).endedOverTLS == expected)
    }

    @Test("a failure has the evidence of the deciding finding")
    func failure() {
        let findings = [
            Finding(.httpStatus, .note, subject: "a", evidence: "not this one"),
            Finding(.httpStatus, subject: "a", evidence: "503 instead of 200"),
        ]
        let sample = sample(report(.failed(.httpStatus, .firstByte), findings: findings, chain: [certificate("aa")]))
        #expect(sample.outcome == .failed)
        #expect(sample.code == .httpStatus)
        #expect(sample.detail == "503 instead of 200")
        #expect(sample.certificates.map(\.isVerified) == [false])
    }

    /// A check of a URL whose name has led to these addresses, none of which accepts a connection.
    private func refused(_ url: String, at addresses: [String], name: String? = "a.test") -> CheckReport {
        let failures = addresses.map { Finding(.connectRefused, subject: $0, evidence: "connect: Connection refused") }
        var report = report(.failed(.connectRefused, .connect), findings: Array(failures.prefix(1)))
        report.hops[0].url = url
        report.hops[0].lookedUpName = name
        report.hops[0].attempts = zip(addresses, failures).map { address, failure in
            ConnectAttempt(address: address, start: .zero, duration: .zero, failure: failure, isUsed: false)
        }
        return report
    }

    @Test("a refusal names the address, its phase and its peer")
    func peer() {
        let sample = sample(refused("https://a.test/", at: ["192.0.2.1:443", "[2001:db8::1]:443"]))
        #expect(sample.detail == "192.0.2.1:443: connect: Connection refused")
        #expect(sample.phase == .connect)
        #expect(sample.peer == "2001:db8::1")
        #expect(sample.leadsToThisMachine == nil)
        let success = self.sample(report(.ok))
        #expect(success.phase == nil)
        #expect(success.peer == nil)
    }

    @Test(
        "a name that leads to this machine is no target, unless it is meant to be this machine",
        arguments: [
            ("a.test", ["0.0.0.0:443"], true), ("a.test", ["127.0.0.1:443"], true),
            ("a.test", ["[::]:25", "127.255.0.9:25"], true), ("a.test", ["[::1]:443"], true),
            ("a.test", ["[::ffff:0.0.0.0]:443"], true), ("a.test", ["[::ffff:127.0.0.1]:443"], true),
            ("a.test", ["127.0.0.1:443", "192.0.2.1:443"], nil), ("a.test", ["[::2]:443"], nil),
            ("a.test", ["[::ffff:192.0.2.1]:443"], nil), ("a.test", ["garbage"], nil), ("a.test", [], nil),
            // An address in the URL, or to connect to.
            (nil, ["127.0.0.1:443"], nil),
            ("localhost", ["127.0.0.1:8080"], nil), ("LOCALHOST.", ["[::1]:80"], nil),
            ("db.localhost", ["[::1]:5432"], nil), ("notlocalhost", ["127.0.0.1:443"], true),
        ] as [(String?, [String], Bool?)]
    )
    func thisMachine(name: String?, addresses: [String], expected: Bool?) {
        let url = "https://a.test/"
        #expect(sample(refused(url, at: addresses, name: name)).leadsToThisMachine == expected)
        // A check that was redirected had an answer of the server that redirects.
        var redirected = refused(url, at: addresses, name: name)
        redirected.hops.insert(CheckHop(url: "https://b.test/"), at: 0)
        #expect(sample(redirected).leadsToThisMachine == nil)
    }

    @Test(
        "an answer of this machine is not the target's, whatever the check, unless a redirect leads away from it",
        arguments: [
            ("a.test", "127.0.0.1:443", true), ("a.test", "127.0.0.1", true), ("a.test", "::1", true),
            ("a.test", "0.0.0.0", true), ("a.test", "[::1]:53", true), ("a.test", "192.0.2.1:443", nil),
            ("a.test", "2001:db8::1", nil), (nil, "127.0.0.1:443", nil), (nil, "::1", nil), ("localhost", "::1", nil),
        ] as [(String?, String, Bool?)]
    )
    func answerOfThisMachine(name: String?, peer: String, expected: Bool?) {
        var report = report(.ok)
        report.hops[0].lookedUpName = name
        report.hops[0].peerAddress = peer
        report.hops[0].response = ResponseReport(httpVersion: "1.1", status: 302, headers: [])
        #expect(sample(report).leadsToThisMachine == expected)
        var next = CheckHop(url: "http://127.0.0.1/")
        next.peerAddress = "127.0.0.1:80"
        report.hops.append(next)
        #expect(sample(report).leadsToThisMachine == expected)
        // A redirect by this machine is no answer of the target to which it leads.
        report.hops[1].peerAddress = "192.0.2.2:80"
        #expect(sample(report).leadsToThisMachine == nil)
        #expect(sample(report).wasAnswered == (expected == true ? nil : true))
    }

    @Test("the certificates are those of the target and of its redirects, each once and with its position")
    func certificatesOfRedirects() {
        let chains = [["aa", "ca"], ["bb", "ca"]].map { $0.map { certificate($0) } }
        var report = report(.ok, chain: chains[0])
        report.hops += self.report(.failed(.tlsExpired, .tls), chain: chains[1]).hops
        let facts = sample(report).certificates
        #expect(facts.map(\.sha256) == ["aa", "ca", "bb"])
        #expect(facts.map(\.position) == [0, 1, 0])
        #expect(facts.map(\.isVerified) == [true, true, false])
        for number in 0..<30 { report.hops += self.report(.ok, chain: [certificate("\(number)")]).hops }
        #expect(sample(report).certificates.map(\.sha256) == ["aa", "ca", "bb"] + (0..<17).map { "\($0)" })
    }

    @Test("a fault of this machine gives an unknown outcome")
    func unknown() {
        let sample = sample(report(.unknown(.dnsTimeout, .resolve)))
        #expect(sample.outcome == .unknown)
        #expect(sample.code == .dnsTimeout)
        #expect(sample.certificates.isEmpty)
        #expect(sample.pins == nil)
    }

    @Test("long texts are cut between characters, and chains at their limit or at a malformed certificate")
    func bounds() {
        let finding = Finding(.httpBody, subject: "a", evidence: "x" + String(repeating: "é", count: 5000))
        let long = String(repeating: "n", count: 9000)
        let chain = (0..<30).map { certificate("\($0)", subject: long) }
        let sample = sample(report(.failed(.httpBody, .body), findings: [finding], chain: chain))
        #expect(sample.detail?.utf8.count == 511)
        #expect(sample.detail?.hasSuffix("é") == true)
        #expect(sample.certificates.count == 10)
        #expect(sample.certificates.allSatisfy { $0.subject.utf8.count == 512 })
        let broken = [certificate("aa"), certificate("bb", isDecodable: false), certificate("cc")]
        #expect(self.sample(report(.ok, chain: broken)).certificates.map(\.sha256) == ["aa"])
    }
}
