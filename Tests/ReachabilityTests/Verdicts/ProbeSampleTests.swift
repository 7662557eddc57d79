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
