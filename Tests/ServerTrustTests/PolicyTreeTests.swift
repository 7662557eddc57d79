import ProbeTestKit
import Testing

@testable import ServerTrust

/// Certificate policies, for an authority that requires an explicit one (RFC 5280, section 6.1).
@Suite struct PolicyTreeTests {
    /// The policies of a certificate, and its rules for those below it; a policy is a number, and 0 is any policy.
    struct Policies: Sendable {
        var named: [UInt8] = []
        var mappings: [(UInt8, UInt8)] = []
        var isExplicitRequired = false
        var areMappingsInhibited = false
        var isAnyInhibited = false

        var extensions: [CertificateExtension] {
            var extensions: [CertificateExtension] = []
            if !named.isEmpty {
                let items = named.flatMap { TrustCost.der(0x30, Self.identifier($0)) }
                extensions.append(.raw("2.5.29.32", TrustCost.der(0x30, items)))
            }
            if !mappings.isEmpty {
                let items = mappings.flatMap { TrustCost.der(0x30, Self.identifier($0) + Self.identifier($1)) }
                extensions.append(.raw("2.5.29.33", isCritical: true, TrustCost.der(0x30, items)))
            }
            let constraints: [UInt8] =
                (isExplicitRequired ? [0x80, 1, 0] : []) + (areMappingsInhibited ? [0x81, 1, 0] : [])
            if !constraints.isEmpty {
                extensions.append(.raw("2.5.29.36", isCritical: true, TrustCost.der(0x30, constraints)))
            }
            if isAnyInhibited { extensions.append(.raw("2.5.29.54", isCritical: true, [0x02, 1, 0])) }
            return extensions
        }

        private static func identifier(_ number: UInt8) -> [UInt8] {
            number == 0 ? [0x06, 4, 0x55, 0x1D, 0x20, 0] : [0x06, 3, 0x2A, 3, number]
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isAccepted: Bool
        let outer: Policies
        let inner: Policies
        let leaf: [UInt8]

        init(_ name: String, _ isAccepted: Bool, _ outer: Policies, _ inner: Policies, leaf: [UInt8]) {
            (testDescription, self.isAccepted, self.outer, self.inner) = (name, isAccepted, outer, inner)
            self.leaf = leaf
        }
    }

    private static func requiring(_ named: UInt8..., mapping: (UInt8, UInt8)...) -> Policies {
        Policies(named: named, mappings: mapping, isExplicitRequired: true)
    }

    private static func named(_ named: UInt8..., mapping: (UInt8, UInt8)...) -> Policies {
        Policies(named: named, mappings: mapping)
    }

    static let examples = [
        Example("the same policy everywhere", true, requiring(1), named(1), leaf: [1]),
        Example("one of several policies everywhere", true, requiring(1, 2), named(2, 3), leaf: [2, 4]),
        Example("another policy at the end", false, requiring(1), named(1), leaf: [2]),
        Example("no policy at the end", false, requiring(1), named(1), leaf: []),
        Example("no policy in between", false, requiring(1), named(), leaf: [1]),
        Example("any policy in between", true, requiring(1), named(0), leaf: [1]),
        Example(
            "any policy where it no longer counts",
            false,
            Policies(named: [1], isExplicitRequired: true, isAnyInhibited: true),
            named(0),
            leaf: [1]
        ),
        Example("different policies that nothing requires", true, named(1), named(2), leaf: [3]),
        Example("the policy that another is mapped to", true, requiring(1, mapping: (1, 2)), named(2), leaf: [2]),
        Example("a policy that is mapped to another", false, requiring(1, mapping: (1, 2)), named(1), leaf: [1]),
        Example(
            "a policy that is also mapped to itself",
            true,
            requiring(1, mapping: (1, 2), (1, 1)),
            named(1),
            leaf: [1]
        ),
        Example(
            "a policy mapped by each authority",
            true,
            requiring(1, mapping: (1, 2)),
            named(2, mapping: (2, 3)),
            leaf: [3]
        ),
        Example("a mapping of a policy that is not valid", false, requiring(1), named(1, mapping: (3, 2)), leaf: [2]),
        Example("a policy mapped below any policy", true, requiring(0), named(1, mapping: (1, 2)), leaf: [2]),
        Example(
            "a mapping where it is inhibited",
            false,
            Policies(named: [1], isExplicitRequired: true, areMappingsInhibited: true),
            named(1, mapping: (1, 2)),
            leaf: [2]
        ),
        Example(
            "a policy beside an inhibited mapping",
            true,
            Policies(named: [1, 3], isExplicitRequired: true, areMappingsInhibited: true),
            named(1, 3, mapping: (1, 2)),
            leaf: [3]
        ),
        Example("a mapping that nothing requires", true, named(1, mapping: (1, 2)), named(3), leaf: [4]),
        Example("a mapping to any policy", false, named(1, mapping: (1, 0)), named(1), leaf: [1]),
        Example("a mapping of any policy", false, named(1, mapping: (0, 1)), named(1), leaf: [1]),
    ]

    @Test(arguments: examples)
    func `a path needs a policy where an authority requires one`(_ example: Example) async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let outer = try root.issue(
            CertificateTemplate.intermediate("Outer").with { $0.extensions += example.outer.extensions }
        )
        let inner = try outer.issue(
            CertificateTemplate.intermediate("Inner").with { $0.extensions += example.inner.extensions }
        )
        let leaf = try inner.issue(
            CertificateTemplate.server().with { $0.extensions += Policies(named: example.leaf).extensions }
        )
        let verdict = await TrustHarness.verdict([leaf.der, inner.der, outer.der], roots: [root])
        #expect(verdict.refusals == (example.isAccepted ? [] : [.tlsCertificateProfile]), "\(verdict.findings)")
    }

    @Test(
        arguments: [[0x30, 0], [0x30, 2, 0x30, 0], [0x30, 7, 0x30, 5, 0x06, 3, 0x2A, 3, 1], [0x04, 0]] as [[UInt8]]
    )
    func `mappings that cannot be decoded are malformed`(_ value: [UInt8]) async throws {
        let verdict = try await TrustHarness.verdict(intermediate: { $0.extensions.append(.raw("2.5.29.33", value)) })
        #expect(verdict.refusals == [.tlsMalformedCertificate])
    }
}
