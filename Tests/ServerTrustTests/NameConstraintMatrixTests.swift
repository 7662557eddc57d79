import ProbeTestKit
import Testing

@testable import ServerTrust

/// Every combination of a common name, DNS names and addresses with constraints of both forms (RFC 5280, 4.2.1.10).
///
/// The expected answer is worked out from the rule, not from the code: a chain is good when the name that was asked for is
/// an alternative name, and each alternative name is in no excluded subtree and, where its form is permitted at all, in a
/// permitted one. The common name counts for nothing.
@Suite struct NameConstraintMatrixTests {
    /// The position of a name of the certificate, relative to the subtree.
    enum Spot: CaseIterable, Sendable { case none, inside, outside }
    /// The authority's constraint on one form of names.
    enum Rule: CaseIterable, Sendable { case free, permits, excludes }
    /// The form of the requested name.
    enum Question: CaseIterable, Sendable { case host, address }

    struct Example: Sendable {
        let question: Question
        let dnsRule: Rule
        let addressRule: Rule
    }

    static let examples = Question.allCases.flatMap { question in
        Rule.allCases.flatMap { dns in
            Rule.allCases.map { Example(question: question, dnsRule: dns, addressRule: $0) }
        }
    }

    private static let hosts = [Spot.inside: "host.inside.test", .outside: "host.outside.test"]
    private static let addresses = [Spot.inside: "192.0.2.7", .outside: "198.51.100.7"]

    /// Returns `true` when the constraint allows a name at `spot`.
    private static func allows(_ rule: Rule, _ spot: Spot) -> Bool {
        switch (rule, spot) {
        case (.free, _), (_, .none): true
        case (.permits, let spot): spot == .inside
        case (.excludes, let spot): spot == .outside
        }
    }

    @Test(arguments: examples)
    func `each name is judged by the constraints of its own form`(_ example: Example) async throws {
        let dns = AlternativeName.dns("inside.test")
        let network = AlternativeName.network("192.0.2.0", prefixLength: 24)
        let permitted = (example.dnsRule == .permits ? [dns] : []) + (example.addressRule == .permits ? [network] : [])
        let excluded = (example.dnsRule == .excludes ? [dns] : []) + (example.addressRule == .excludes ? [network] : [])
        let chain = try TestAuthority(
            intermediate: CertificateTemplate.intermediate().with {
                if !permitted.isEmpty || !excluded.isEmpty {
                    $0.extensions.append(.nameConstraints(permitted: permitted, excluded: excluded))
                }
            }
        )
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        for common in Spot.allCases {
            for host in Spot.allCases {
                for address in Spot.allCases where host != .none || address != .none {
                    let names = [Self.hosts[host].map { .dns($0) }, Self.addresses[address].map { .ip($0) }]
                        .compactMap { $0 as AlternativeName? }
                    let presented = try chain.presenting(
                        CertificateTemplate.server().with {
                            $0.subject = Self.hosts[common].map { .common($0) } ?? .empty
                            $0.replaceExtension(with: .subjectAlternativeName(names, critical: common == .none))
                        }
                    )
                    let asked = example.question == .host ? Self.hosts[host] : Self.addresses[address]
                    let identity: ServerIdentity =
                        example.question == .host
                        ? .name(asked ?? "host.inside.test")
                        : .address(IPAddressText.bytes(of: asked ?? "192.0.2.7") ?? [])
                    let verdict = await evaluator.evaluate(
                        presented: presented,
                        identity: identity,
                        at: TestDate.present
                    )
                    let isGood =
                        asked != nil && Self.allows(example.dnsRule, host) && Self.allows(example.addressRule, address)
                    #expect(verdict.isAccepted == isGood, "\(common) \(host) \(address): \(verdict.findings)")
                }
            }
        }
    }

    @Test(arguments: [
        (["test"], ["a.test"], "b.test", true), (["test"], ["a.test"], "b.a.test", false),
        (["a.test", "b.test"], ["b.test"], "a.test", true), (["a.test", "b.test"], ["b.test"], "b.test", false),
    ])
    func `constraints of two authorities both hold`(
        _ permitted: [String],
        _ excluded: [String],
        _ name: String,
        _ isAccepted: Bool
    ) async throws {
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority().with {
                $0.extensions.append(.nameConstraints(permitted: permitted.map { .dns($0) }))
            }
        )
        let middle = try root.issue(
            CertificateTemplate.intermediate().with {
                $0.extensions.append(.nameConstraints(excluded: excluded.map { .dns($0) }))
            }
        )
        let presented = [try middle.issue(.server(names: [name])).der, middle.der]
        #expect(await TrustHarness.verdict(presented, roots: [root], host: name).isAccepted == isAccepted)
    }

    @Test func `a network of one family does not permit addresses of the other`() async throws {
        for (network, address) in [
            (AlternativeName.network("0.0.0.0", prefixLength: 0), "2001:db8::1"),
            (.network("::", prefixLength: 0), "192.0.2.1"),
        ] {
            let chain = try TestAuthority(
                intermediate: CertificateTemplate.intermediate().with {
                    $0.extensions.append(.nameConstraints(permitted: [network]))
                },
                leaf: .server(names: ["host.test"], addresses: [address])
            )
            #expect(await TrustHarness.verdict(chain.presented, roots: [chain.root]).code == .tlsNameConstraints)
        }
    }
}
