import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// Revocation lists from files.
@Suite struct RevocationTests {
    private let chain: TestAuthority

    init() throws { chain = try TestAuthority.standard() }

    private func list(
        _ template: RevocationListTemplate,
        by issuer: IssuedCertificate? = nil
    ) throws -> CertificateRevocationList {
        try CertificateRevocationList(der: try (issuer ?? chain.intermediate).revocationList(template))
    }

    private func verdict(_ lists: [CertificateRevocationList]) async -> TrustVerdict {
        await TrustHarness.verdict(chain.presented, roots: [chain.root], lists: lists)
    }

    @Test func `a certificate that the lists do not name is accepted`() async throws {
        let other = RevocationListTemplate(revoking: [.init(serialNumber: [0x01])])
        let verdict = await verdict([try list(other), try list(RevocationListTemplate(), by: chain.root)])
        #expect(verdict.isAccepted)
        #expect(verdict.findings.isEmpty)
    }

    @Test func `a revoked certificate is rejected with date and reason`() async throws {
        let list = try list(
            RevocationListTemplate(revoking: [.init(serialNumber: chain.leaf.serialNumber, reason: 1)])
        )
        let verdict = await verdict([list])
        #expect(verdict.code == .tlsRevoked)
        #expect(verdict.findings.first?.evidence.contains("key compromise") == true)
        #expect(verdict.findings.first?.evidence.contains("2026-03-01") == true)
    }

    @Test func `a revoked authority is rejected, and an unknown one is a warning`() async throws {
        let good = try list(RevocationListTemplate())
        let bad = try list(
            RevocationListTemplate(revoking: [.init(serialNumber: chain.intermediate.serialNumber)]),
            by: chain.root
        )
        #expect(await verdict([good, bad]).code == .tlsRevoked)
        let unknown = await verdict([good])
        #expect(unknown.isAccepted)
        #expect(unknown.warnings == [.tlsRevocationUnknown])
    }

    @Test func `an unusable list gives no answer, and the server is rejected`() async throws {
        let impostor = try IssuedCertificate.selfSigned(.authority("Test Intermediate"))
        var delta = RevocationListTemplate()
        delta.extensions.append(.raw("2.5.29.27", isCritical: true, [0x02, 0x01, 0x01]))
        var part = RevocationListTemplate()
        part.extensions.append(.raw("2.5.29.28", isCritical: true, [0x30, 0x00]))
        var unknown = RevocationListTemplate()
        unknown.extensions.append(.raw("1.3.6.1.4.1.55555.1", isCritical: true, [0x05, 0x00]))
        let lists = [
            try list(RevocationListTemplate(thisUpdate: TestDate.utc(2026, 4), nextUpdate: TestDate.utc(2026, 5))),
            try list(RevocationListTemplate(thisUpdate: TestDate.utc(2026, 7), nextUpdate: TestDate.utc(2026, 8))),
            try list(RevocationListTemplate(nextUpdate: nil)), try list(RevocationListTemplate(), by: impostor),
            try list(RevocationListTemplate(), by: chain.root), try list(delta), try list(part), try list(unknown),
        ]
        for list in lists {
            #expect(await verdict([list]).refusals == [.tlsRevocationUnknown])
        }
    }

    @Test func `a list counts with an extension whose identifier is a UUID's, unless that is critical`() async throws {
        let unique: CertificateOID = "2.25.329800735698586629295641978511506172918"
        for isCritical in [false, true] {
            var template = RevocationListTemplate()
            template.extensions.append(.raw(unique, isCritical: isCritical, [0x05, 0x00]))
            let verdict = await verdict([try list(template), try list(RevocationListTemplate(), by: chain.root)])
            #expect(verdict.refusals == (isCritical ? [.tlsRevocationUnknown] : []), "\(verdict.findings)")
        }
    }

    @Test func `an outdated list still revokes its certificates`() async throws {
        let template = RevocationListTemplate(
            revoking: [.init(serialNumber: chain.leaf.serialNumber)],
            thisUpdate: TestDate.utc(2026, 4),
            nextUpdate: TestDate.utc(2026, 5)
        )
        #expect(await verdict([try list(template)]).code == .tlsRevoked)
    }

    @Test func `an authority that may not sign lists is not believed`() async throws {
        let chain = try TestAuthority(
            intermediate: CertificateTemplate.intermediate().with {
                $0.replaceExtension(with: .keyUsage([.certificateSigning]))
            }
        )
        let list = try CertificateRevocationList(der: chain.intermediate.revocationList(RevocationListTemplate()))
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], lists: [list])
        #expect(verdict.refusals == [.tlsRevocationUnknown])
    }

    @Test func `a truncated list is an error, and changed bytes never trap`() throws {
        let whole = try chain.intermediate.revocationList(
            RevocationListTemplate(revoking: [.init(serialNumber: chain.leaf.serialNumber, reason: 1)])
        )
        #expect(throws: SecurityPolicyError.self) { try CertificateRevocationList(der: []) }
        for length in stride(from: 0, to: whole.count - 1, by: 3) {
            #expect(throws: SecurityPolicyError.self) {
                try CertificateRevocationList(der: Array(whole.prefix(length)))
            }
        }
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0xFF
            _ = try? CertificateRevocationList(der: bytes)
        }
    }

    @Test func `a broken list in PEM is named with its source and block`() throws {
        let pem = try chain.intermediate.revocationListPEM(RevocationListTemplate())
        let lines = pem.split(separator: "\n").dropLast().joined(separator: "\n")
        for (text, block) in [(lines, 1), (pem + lines, 2), (chain.leaf.pem + lines + "\n" + pem, 2)] {
            #expect(
                throws: SecurityPolicyError.undecodableRevocationList(
                    source: "a.pem, block \(block)",
                    reason: "expected a BEGIN line, Base64 and the END line of the same name"
                )
            ) { try CertificateRevocationList.lists(decoding: Array(text.utf8), source: "a.pem") }
        }
    }

    @Test func `lists are read from PEM and DER`() throws {
        let pem = try chain.intermediate.revocationListPEM(RevocationListTemplate())
        let der = try chain.intermediate.revocationList(RevocationListTemplate())
        #expect(try CertificateRevocationList.lists(decoding: Array((pem + pem).utf8)).count == 2)
        #expect(try CertificateRevocationList.lists(decoding: der).count == 1)
        let marked = "\u{FEFF}" + pem
        #expect(try CertificateRevocationList.lists(decoding: Array((marked + marked).utf8)).count == 2)
        #expect(throws: SecurityPolicyError.self) {
            try CertificateRevocationList.lists(decoding: Array(chain.leaf.pem.utf8))
        }
    }
}
