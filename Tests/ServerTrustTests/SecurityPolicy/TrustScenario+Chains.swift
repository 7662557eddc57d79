import ProbeTestKit
import ServerTrust

extension TrustScenario {
    /// Servers whose chains are good, incomplete, padded or end at the wrong place.
    static let chains: [TrustScenario] = [
        TrustScenario("all is well", nil, trusted: .always, root: .always, leaf: .always, key: .always) { _ in },
        TrustScenario(
            "the server's certificate is signed by itself",
            .tlsSelfSigned,
            trusted: .never,
            root: .always,
            leaf: .always,
            key: .always
        ) { fixtures in
            let named = fixtures.certificate(.named).der
            return material(fixtures, [named], root: named, leaf: named)
        },
        TrustScenario(
            "the root is not trusted",
            .tlsUntrustedRoot,
            trusted: .never,
            root: .always,
            leaf: .always,
            key: .always
        ) { fixtures in
            var material = material(fixtures, fixtures.site.presented + [fixtures.site.root.der])
            material.anchors = [fixtures.other.root.der]
            return material
        },
        TrustScenario(
            "the intermediate is missing",
            .tlsMissingIntermediate,
            trusted: .never,
            root: .never,
            leaf: .always,
            key: .always
        ) { material($0, [$0.site.leaf.der]) },
        TrustScenario(
            "a certificate that is not on the path is the pinned one",
            nil,
            trusted: .always,
            root: .never,
            leaf: .never,
            key: .never
        ) { fixtures in
            let junk = try IssuedCertificate.selfSigned(.server(names: ["host.test"])).der
            return material(fixtures, fixtures.site.presented + [junk], root: junk, leaf: junk)
        },
        TrustScenario(
            "the intermediates come in the wrong order",
            nil,
            trusted: .always,
            root: .always,
            leaf: .always,
            key: .always
        ) { fixtures in
            let lower = try fixtures.site.intermediate.issue(.intermediate("Lower Intermediate"))
            let leaf = try lower.issue(.server())
            return material(fixtures, [leaf.der, fixtures.site.intermediate.der, lower.der], leaf: leaf.der)
        },
        TrustScenario(
            "every certificate comes twice",
            nil,
            trusted: .always,
            root: .always,
            leaf: .always,
            key: .always
        ) { material($0, $0.site.presented + $0.site.presented) },
        TrustScenario(
            "the intermediate may not issue for the name",
            .tlsNameConstraints,
            trusted: .never,
            root: .never,
            leaf: .always,
            key: .always,
            chain: {
                try chain { $0.extensions.append(.nameConstraints(permitted: [.dns("else.test")])) }
            }
        ),
        TrustScenario(
            "the intermediate is over",
            .tlsExpired,
            trusted: .never,
            root: .never,
            leaf: .always,
            key: .always,
            chain: { try chain { $0.notAfter = TestDate.utc(2026, 2) } }
        ),
        TrustScenario(
            "the intermediate is no authority",
            .tlsNotAnAuthority,
            trusted: .never,
            root: .never,
            leaf: .always,
            key: .always,
            chain: { try chain { $0.replaceExtension(with: .basicConstraints(isAuthority: false)) } }
        ),
        TrustScenario(
            "there are more intermediates than the root allows",
            .tlsPathLength,
            trusted: .never,
            root: .never,
            leaf: .always,
            key: .always,
            chain: { try TestAuthority(root: .authority("Short Root", pathLength: 0)) }
        ),
    ]

    private static func material(
        _ fixtures: TrustFixtures,
        _ presented: [[UInt8]],
        root: [UInt8]? = nil,
        leaf: [UInt8]? = nil
    ) -> Material {
        Material(
            presented: presented,
            anchors: fixtures.anchors,
            root: root ?? fixtures.site.root.der,
            leaf: leaf ?? fixtures.site.leaf.der,
            identity: .name("host.test")
        )
    }

    private static func chain(_ change: (inout CertificateTemplate) -> Void) throws -> TestAuthority {
        try TestAuthority(intermediate: .intermediate().with(change))
    }
}
