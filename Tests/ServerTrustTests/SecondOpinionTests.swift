import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The X509 module accepts every chain that our path search accepts.
///
/// Beside these, each verdict of ``TrustHarness``, ``TrustFixtures`` and the matrix is checked with the module.
@Suite struct SecondOpinionTests {
    private typealias Case = ChainProfileTests.Case

    /// Changes of an authority's certificate: all that the profile and the path graph know.
    private static let authorities =
        ChainProfileTests.authorities + ChainProfileTests.roots
        + PathGraphTests.flaws.map { Case($0.testDescription, nil, $0.change) } + [
            Case("it allows any number below", nil) {
                $0.replaceExtension(with: .basicConstraints(isAuthority: true, pathLength: 16))
            },
            Case("its key identifier is another's", nil) {
                $0.replaceExtension(with: .authorityKeyIdentifier([1, 2, 3]))
            },
            Case("its version is 1", nil) {
                $0.version = 0
                $0.extensions = []
            },
            Case("its serial number is zero", nil) { $0.serialNumber = [0] },
            Case("its serial number has 21 octets", nil) { $0.serialNumber = Array(repeating: 1, count: 21) },
            Case("its subject is empty", nil) { $0.subject = .empty },
            Case("its key usage is not critical", nil) {
                $0.replaceExtension(with: .keyUsage([.certificateSigning], critical: false))
            },
        ]

    private static let leaves =
        ChainProfileTests.leaves + [
            Case("its key identifier is another's", nil) {
                $0.replaceExtension(with: .authorityKeyIdentifier([1, 2, 3]))
            },
            Case("it ends this second", nil) { $0.notAfter = TestDate.present },
            Case("it begins this second", nil) { $0.notBefore = TestDate.present },
            Case("its signature is changed", nil) { $0.signatureDefect = .flippedBit },
        ]

    /// One change of the server's certificate, and where that is accepted, one more of an authority above it.
    @Test(arguments: leaves.indices)
    func `no chain with up to two flaws is accepted that the module rejects`(_ index: Int) async throws {
        let none = Case("", nil) { _ in }
        let leaf = Self.leaves[index]
        for (root, intermediate) in [(none, none)] + Self.authorities.flatMap({ [($0, none), (none, $0)] }) {
            let anchor = try IssuedCertificate.selfSigned(CertificateTemplate.authority().with(root.change))
            let middle = try anchor.issue(CertificateTemplate.intermediate().with(intermediate.change))
            let server = try middle.issue(CertificateTemplate.server().with(leaf.change))
            // The harness checks each accepted chain with the module.
            let verdict = await TrustHarness.verdict([server.der, middle.der], roots: [anchor])
            if root.testDescription.isEmpty, intermediate.testDescription.isEmpty, !verdict.isAccepted { return }
        }
    }

    @Test func `the module judges by itself`() async throws {
        let chain = try TestAuthority.standard()
        let path = [chain.leaf, chain.intermediate, chain.root].map(\.der)
        #expect(await SecondOpinion.answer(on: path, at: TestDate.present) == .accepted)
        for (broken, date) in [
            (path, TestDate.utc(2028)), ([path[0], path[2]], TestDate.present),
            ([path[0], path[1], path[1]], TestDate.utc(2041)),
        ] {
            guard case .refused = await SecondOpinion.answer(on: broken, at: date) else {
                Issue.record("a broken path is accepted")
                continue
            }
        }
        let verdict = TrustVerdict(
            isAccepted: true,
            findings: [],
            presentedChain: [],
            validatedChain: path.map { CertificateDescription(der: $0) },
            date: TestDate.utc(2028)
        )
        let late = TestDate.utc(2028)
        #expect(try await SecondOpinion.refusal(of: verdict, under: SecurityPolicy(), among: path, at: late) != nil)
    }

    /// The paths that we accept and that are not checked with the module, by the exception.
    private static func examples(of exception: SecondOpinion.Exception) throws -> [[IssuedCertificate]] {
        switch exception {
        case .trustedServer: [[try .selfSigned(.server())]]
        case .nameConstraints:
            try [AlternativeName.directory(.common("else")), .email("else.test")].map { name in
                let root = try IssuedCertificate.selfSigned(
                    CertificateTemplate.authority().with { $0.extensions.append(.nameConstraints(excluded: [name])) }
                )
                return [try root.issue(.server()), root]
            }
        case .undecodable:
            try [SignatureScheme.rsaPSSSHA256].map { scheme in
                let root = try IssuedCertificate.selfSigned(.authority(), key: TestKey(.rsa2048, seed: "root"))
                return [try root.issue(.server().with { $0.signatureScheme = scheme }), root]
            }
        case .issuerSpelling:
            try ["TEST ROOT", "Test  Root"].map { issuer in
                let root = try IssuedCertificate.selfSigned(.authority("Test Root"))
                return [try root.issue(.server().with { $0.issuer = .common(issuer) }), root]
            }
        }
    }

    @Test(arguments: SecondOpinion.Exception.allCases)
    func `where the module is not asked, it would reject a good chain`(
        _ exception: SecondOpinion.Exception
    ) async throws {
        for path in try Self.examples(of: exception) {
            let verdict = await TrustHarness.verdict(path.map(\.der), roots: path.suffix(1))
            #expect(verdict.isAccepted, "\(verdict.findings)")
            #expect(
                await SecondOpinion.answer(on: path.map(\.der), at: TestDate.present) == .notAsked(exception)
            )
            let strict = await SecondOpinion.answer(on: path.map(\.der), at: TestDate.present, isStrict: true)
            #expect(strict != .accepted)
        }
    }
}
