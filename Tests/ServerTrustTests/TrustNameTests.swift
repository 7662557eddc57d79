import ForeignText
import ProbeTestKit
import Testing

@testable import ServerTrust

/// For whom a certificate is, and for whom an authority may issue.
@Suite struct TrustNameTests {
    @Test(arguments: [
        ("host.test", "host.test", true), ("HOST.Test", "host.tesT", true), ("host.test", "other.test", false),
        ("host.test", "a.host.test", false), ("*.host.test", "a.host.test", true), ("*.host.test", "host.test", false),
        ("*.host.test", "a.b.host.test", false), ("*.test", "host.test", false),
        ("h*.host.test", "ha.host.test", false),
        ("a.*.test", "a.b.test", false), ("*", "host", false), ("host.test.", "host.test", false),
        ("xn--bcher-kva.test", "xn--bcher-kva.test", true), ("a_b.host.test", "a_b.host.test", true),
        ("*.host.test", "*.host.test", false), ("192.0.2.1", "192.0.2.1", false), ("", "", false),
        ("ho st.test", "ho st.test", false), ("*.*.host.test", "a.b.host.test", false),
        ("héte.test", "héte.test", false), ("\u{212A}.host.test", "k.host.test", false),
        ("*.host.test", "a_b.host.test", true),
    ])
    func `a pattern is for exactly the names that RFC 9525 says`(_ pattern: String, _ name: String, _ isMatch: Bool) {
        #expect(HostName.matches(ForeignText(pattern), ForeignText(name)) == isMatch)
    }

    @Test(arguments: [
        ("host.test.", true), ("HOST.test.", true), ("a.wild.test.", true), ("host.test..", false), (".", false),
        ("other.test.", false),
    ])
    func `a trailing dot of the requested name does not count`(_ host: String, _ isAccepted: Bool) async throws {
        let chain = try TestAuthority.standard(names: ["host.test", "*.wild.test"])
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], host: host)
        #expect(verdict.refusals == (isAccepted ? [] : [.tlsHostname]))
    }

    @Test func `addresses match only addresses, and names only names`() async throws {
        let chain = try TestAuthority.standard(
            names: ["192.0.2.1", "host.test"],
            addresses: ["192.0.2.2", "2001:db8::1"]
        )
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        for (identity, isAccepted) in [
            (ServerIdentity.address([192, 0, 2, 1]), false), (.address([192, 0, 2, 2]), true),
            (.name("192.0.2.1"), false),
            (.name("192.0.2.2"), false), (.name("host.test"), true),
            (.address([0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]), true),
            (ServerIdentity(host: "192.0.2.1"), false), (ServerIdentity(host: "192.0.2.2"), true),
            (ServerIdentity(host: "2001:db8::1"), true), (ServerIdentity(host: "[2001:db8::1]"), true),
            (ServerIdentity(host: "host.test"), true),
        ] {
            let verdict = await evaluator.evaluate(presented: chain.presented, identity: identity, at: TestDate.present)
            #expect(verdict.isAccepted == isAccepted, "\(identity)")
            #expect(isAccepted || verdict.refusals == [.tlsHostname])
        }
    }

    struct Constraint: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let permitted: [AlternativeName]
        let excluded: [AlternativeName]
        let names: [AlternativeName]
        let isAccepted: Bool

        init(
            _ name: String,
            permitted: [AlternativeName] = [],
            excluded: [AlternativeName] = [],
            _ names: [AlternativeName],
            _ isAccepted: Bool
        ) {
            testDescription = name
            self.permitted = permitted
            self.excluded = excluded
            self.names = [.dns("host.test")] + names
            self.isAccepted = isAccepted
        }
    }

    /// The name of an organization with arbitrary bytes as UTF-8.
    private static func organization(_ bytes: [UInt8]) -> AlternativeName {
        let attribute = TrustCost.der(0x30, [0x06, 0x03, 0x55, 0x04, 0x0A] + TrustCost.der(0x0C, bytes))
        return .raw(TrustCost.der(0xA4, TrustCost.der(0x30, TrustCost.der(0x31, attribute))))
    }

    static let constraints = [
        Constraint("below a permitted domain", permitted: [.dns("test")], [], true),
        Constraint("the permitted name itself", permitted: [.dns("HOST.test")], [], true),
        Constraint("a longer label is not below", permitted: [.dns("ost.test")], [], false),
        Constraint("a second name outside", permitted: [.dns("test")], [.dns("host.example")], false),
        Constraint("an excluded domain wins", permitted: [.dns("test")], excluded: [.dns("host.test")], [], false),
        Constraint("all names are excluded", excluded: [.dns("")], [], false),
        Constraint("a wildcard reaches an excluded name", excluded: [.dns("a.b.test")], [.dns("*.b.test")], false),
        Constraint("a wildcard beside an excluded name", excluded: [.dns("a.b.test")], [.dns("*.c.test")], true),
        Constraint("a leading dot permits names below", permitted: [.dns(".TEST")], [.dns("a.b.test")], true),
        Constraint("a leading dot permits wildcards below", permitted: [.dns(".test")], [.dns("*.host.test")], true),
        Constraint("a leading dot does not permit the domain", permitted: [.dns(".host.test")], [], false),
        Constraint("a leading dot permits no longer label", permitted: [.dns(".ost.test")], [], false),
        Constraint("a leading dot excludes names below", excluded: [.dns(".test")], [], false),
        Constraint("a leading dot excludes wildcards", excluded: [.dns(".b.test")], [.dns("*.b.test")], false),
        Constraint("a leading dot does not exclude the domain", excluded: [.dns(".host.test")], [], true),
        Constraint("a leading dot excludes no longer label", excluded: [.dns(".ost.test")], [], true),
        Constraint("a wildcard above a leading dot", excluded: [.dns(".a.b.test")], [.dns("*.b.test")], true),
        Constraint("a dot alone is malformed", permitted: [.dns(".")], [], false),
        Constraint("two leading dots are malformed", permitted: [.dns("..test")], [], false),
        Constraint("an excluded dot alone is malformed", excluded: [.dns(".")], [], false),
        Constraint("other forms are free", permitted: [.network("192.0.2.0", prefixLength: 24)], [], true),
        Constraint("an address inside", permitted: [.network("192.0.2.0", prefixLength: 24)], [.ip("192.0.2.7")], true),
        Constraint(
            "an address outside",
            permitted: [.network("192.0.2.0", prefixLength: 24)],
            [.ip("192.0.3.7")],
            false
        ),
        Constraint(
            "an excluded network",
            excluded: [.network("2001:db8::", prefixLength: 32)],
            [.ip("2001:db8::7")],
            false
        ),
        Constraint("an address that is no network", permitted: [.ip("192.0.2.7")], [.ip("192.0.2.7")], false),
        Constraint("a mailbox", permitted: [.email("a@b.test")], [.email("a@b.test")], true),
        Constraint("another mailbox", permitted: [.email("a@b.test")], [.email("c@b.test")], false),
        Constraint("a mailbox of a host", permitted: [.email("b.test")], [.email("c@b.test")], true),
        Constraint("a mailbox of a host below", permitted: [.email("b.test")], [.email("c@d.b.test")], false),
        Constraint("a mailbox of a domain", permitted: [.email(".b.test")], [.email("c@d.b.test")], true),
        Constraint("a malformed mailbox", permitted: [.email("b.test")], [.email("a@c@b.test")], false),
        Constraint("a resource's host", permitted: [.uri(".b.test")], [.uri("https://u@a.b.test:8443/x")], true),
        Constraint("a resource's other host", excluded: [.uri("a.b.test")], [.uri("https://a.b.test/")], false),
        Constraint("a resource without a host", permitted: [.uri(".b.test")], [.uri("urn:a")], false),
        Constraint("the subject's name", permitted: [.directory(.common("host.test"))], [], true),
        Constraint("the subject's name in other letters", permitted: [.directory(.common("HOST.TEST"))], [], true),
        Constraint("another subject", permitted: [.directory(.common("other"))], [], false),
        Constraint("an excluded subject", excluded: [.directory(.common("host.test"))], [], false),
        Constraint(
            "an organization of other invalid bytes",
            permitted: [.directory(.common("host.test")), organization([0x41, 0xFE])],
            [organization([0x41, 0xFF])],
            false
        ),
        Constraint(
            "an organization of the same invalid bytes",
            permitted: [.directory(.common("host.test")), organization([0x41, 0xFE])],
            [organization([0x41, 0xFE])],
            true
        ),
        Constraint(
            "an excluded organization of other invalid bytes",
            excluded: [organization([0x41, 0xFE])],
            [organization([0x41, 0xFF])],
            true
        ),
        Constraint(
            "an excluded organization of the same invalid bytes",
            excluded: [organization([0x41, 0xFE])],
            [organization([0x41, 0xFE])],
            false
        ),
        Constraint(
            "a form that cannot be compared",
            permitted: [.raw([0x88, 0x01, 0x2A])],
            [.raw([0x88, 0x01, 0x2A])],
            false
        ),
        Constraint("no constraints at all are malformed", [], false),
    ]

    @Test(arguments: constraints)
    func `name constraints are kept`(_ example: Constraint) async throws {
        let chain = try TestAuthority(
            intermediate: CertificateTemplate.intermediate().with {
                $0.extensions.append(.nameConstraints(permitted: example.permitted, excluded: example.excluded))
            },
            leaf: CertificateTemplate.server().with {
                $0.replaceExtension(with: .subjectAlternativeName(example.names))
            }
        )
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root])
        #expect(verdict.isAccepted == example.isAccepted, "\(verdict.findings)")
    }

    @Test func `constraints do not apply to an authority that issued for itself`() async throws {
        let key = TestKey.p256()
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority("Same").with {
                $0.extensions.append(.nameConstraints(permitted: [.dns("test")]))
            }
        )
        let renewed = try root.issue(
            CertificateTemplate.authority("Same").with {
                $0.extensions.append(.subjectAlternativeName(dns: ["authority.example"]))
            },
            key: key
        )
        let leaf = try renewed.issue(.server())
        #expect(await TrustHarness.verdict([leaf.der, renewed.der], roots: [root]).isAccepted)
    }

    @Test func `names and constraints by the thousand are given up`() async throws {
        let names = (0..<600).map { AlternativeName.dns("n\($0).test") }
        let chain = try TestAuthority(
            intermediate: CertificateTemplate.intermediate().with {
                $0.extensions.append(.nameConstraints(excluded: names))
            },
            leaf: CertificateTemplate.server().with {
                $0.replaceExtension(
                    with: .subjectAlternativeName([.dns("host.test")] + (0..<600).map { .dns("m\($0).test") })
                )
            }
        )
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root])
        #expect(verdict.refusals == [.tlsPathBudget])
    }
}
