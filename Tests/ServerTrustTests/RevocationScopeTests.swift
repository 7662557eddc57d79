import ProbeTestKit
import Testing

@testable import ServerTrust

/// The certificates that a list covers, by its issuing distribution point (RFC 5280, section 5.2.5).
@Suite struct RevocationScopeTests {
    struct Scope: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [UInt8]
        /// `true` if an entry revokes.
        let isDirect: Bool
        /// `true` if a missing entry means that the certificate is good.
        let coversServers: Bool
        let coversAuthorities: Bool

        init(
            _ name: String,
            _ fields: [UInt8],
            isDirect: Bool = true,
            servers: Bool = false,
            authorities: Bool = false
        ) {
            (testDescription, self.fields, self.isDirect) = (name, fields, isDirect)
            (coversServers, coversAuthorities) = (servers, authorities)
        }

        var list: RevocationListTemplate {
            var list = RevocationListTemplate()
            list.extensions.append(.raw("2.5.29.28", isCritical: true, TrustCost.der(0x30, fields)))
            return list
        }
    }

    private static let point = TrustCost.der(0xA0, TrustCost.der(0xA0, TrustCost.der(0x86, Array("http://x/".utf8))))
    private static let users: [UInt8] = [0x81, 0x01, 0xFF]
    private static let authorities: [UInt8] = [0x82, 0x01, 0xFF]
    private static let reasons: [UInt8] = [0x83, 0x02, 0x05, 0x60]

    static let scopes = [
        Scope("users only", users, servers: true),
        Scope("authorities only", authorities, authorities: true),
        Scope("neither", users + authorities),
        Scope("not limited, in words", [0x81, 0x01, 0x00], servers: true, authorities: true),
        Scope("a distribution point", point),
        Scope("the users of a distribution point", point + users),
        Scope("the authorities of a distribution point", point + authorities),
        Scope("some reasons", reasons),
        Scope("some reasons for authorities", authorities + reasons),
        Scope("other issuers' too", [0x84, 0x01, 0xFF], isDirect: false),
        Scope("authorities of other issuers", authorities + [0x84, 0x01, 0xFF], isDirect: false),
        Scope("attribute certificates", [0x85, 0x01, 0xFF], isDirect: false),
        Scope("nothing, which is malformed", [], isDirect: false),
        Scope("twice the same field", users + users, isDirect: false),
        Scope("fields in another order", authorities + users, isDirect: false),
        Scope("an unknown field", users + [0x86, 0x01, 0xFF], isDirect: false),
        Scope("a field that is not true or false", [0x82, 0x01, 0x01], isDirect: false),
        Scope("an empty field", [0x82, 0x00], isDirect: false),
        Scope("a constructed field", [0xA2, 0x03, 0x01, 0x01, 0xFF], isDirect: false),
        Scope("a field of another class", [0x02, 0x01, 0x01], isDirect: false),
    ]

    private let chain: TestAuthority

    init() throws { chain = try TestAuthority.standard() }

    /// The verdict with one list of each issuer.
    private func verdict(
        _ ofIntermediate: RevocationListTemplate,
        _ ofRoot: RevocationListTemplate
    ) async throws -> TrustVerdict {
        let lists = [
            try CertificateRevocationList(der: chain.intermediate.revocationList(ofIntermediate)),
            try CertificateRevocationList(der: chain.root.revocationList(ofRoot)),
        ]
        return await TrustHarness.verdict(chain.presented, roots: [chain.root], lists: lists)
    }

    @Test(arguments: scopes)
    func `an entry of a direct list revokes, whatever the list covers`(_ scope: Scope) async throws {
        var list = scope.list
        list.entries = [.init(serialNumber: chain.leaf.serialNumber)]
        let server = try await verdict(list, RevocationListTemplate())
        #expect(server.refusals == [scope.isDirect ? .tlsRevoked : .tlsRevocationUnknown], "\(server.findings)")
        list.entries = [.init(serialNumber: chain.intermediate.serialNumber)]
        let authority = try await verdict(RevocationListTemplate(), list)
        #expect(authority.refusals == (scope.isDirect ? [.tlsRevoked] : []), "\(authority.findings)")
        #expect(authority.warnings == (scope.isDirect ? [] : [.tlsRevocationUnknown]))
    }

    @Test(arguments: scopes)
    func `a missing entry means that a certificate is good only if the list covers it`(_ scope: Scope) async throws {
        let server = try await verdict(scope.list, RevocationListTemplate())
        #expect(server.refusals == (scope.coversServers ? [] : [.tlsRevocationUnknown]), "\(server.findings)")
        let authority = try await verdict(RevocationListTemplate(), scope.list)
        #expect(authority.isAccepted)
        #expect(authority.warnings == (scope.coversAuthorities ? [] : [.tlsRevocationUnknown]))
    }

    @Test func `the evidence names what a list leaves out`() async throws {
        let none = RevocationListTemplate()
        for (fields, ofIntermediate, evidence) in [
            (Self.authorities, true, "the list of CN=Test Intermediate covers only authorities"),
            (Self.users, false, "the list of CN=Test Root does not cover authorities"),
            (
                Self.point, true,
                "the list of CN=Test Intermediate is that of a distribution point that the certificate does not name"
            ),
            (Self.reasons, true, "the list of CN=Test Intermediate covers only some reasons"),
            ([0x84, 0x01, 0xFF], false, "the list of CN=Test Root cannot be used: it is an indirect list"),
        ] {
            let list = Scope("", fields).list
            let verdict = try await ofIntermediate ? verdict(list, none) : verdict(none, list)
            #expect(verdict.findings.map(\.evidence) == [evidence])
        }
    }

    private static func uri(_ text: String) -> [UInt8] { TrustCost.der(0x86, Array(text.utf8)) }

    /// A DistributionPointName with these names.
    private static func named(_ names: String...) -> [UInt8] {
        TrustCost.der(0xA0, TrustCost.der(0xA0, names.flatMap(uri)))
    }

    /// A DistributionPointName relative to the issuer's name.
    private static let relative = TrustCost.der(0xA0, TrustCost.der(0xA1, []))

    /// The fields of a list's point, those of each of the certificate's points, and whether the list covers it.
    static let points: [(list: [UInt8], certificate: [[UInt8]], isCovered: Bool)] = [
        (point, [point], true), (point + users, [named("http://y/"), point], true),
        (point, [named("http://y/", "http://x/")], true), (named("http://y/", "http://x/"), [point], true),
        (point, [named("http://y/")], false), (point, [named("http://x/#")], false), (point, [], false),
        (point + authorities, [point], false), (point + reasons, [point], false),
        // A point for some reasons, one of another issuer, and one without a name of its own.
        (point, [point + [0x81, 0x02, 0x05, 0x60]], false), (point, [point + TrustCost.der(0xA2, uri("x"))], false),
        (relative, [relative], false), (point, [[0x80, 0x00]], false),
    ]

    @Test(arguments: points)
    func `a list of a distribution point covers the certificates that name it`(
        _ example: (list: [UInt8], certificate: [[UInt8]], isCovered: Bool)
    ) async throws {
        let points = TrustCost.der(0x30, example.certificate.flatMap { TrustCost.der(0x30, $0) })
        let presented = try chain.presenting(
            CertificateTemplate.server().with { $0.extensions.append(.raw("2.5.29.31", points)) }
        )
        let lists = [
            try CertificateRevocationList(der: chain.intermediate.revocationList(Scope("", example.list).list)),
            try CertificateRevocationList(der: chain.root.revocationList(RevocationListTemplate())),
        ]
        let verdict = await TrustHarness.verdict(presented, roots: [chain.root], lists: lists)
        #expect(verdict.refusals == (example.isCovered ? [] : [.tlsRevocationUnknown]), "\(verdict.findings)")
    }

    @Test(arguments: [true, false])
    func `critical distribution points name the lists that cover a certificate`(isCovered: Bool) async throws {
        let point = isCovered ? Self.point : Self.named("http://y/")
        let presented = try chain.presenting(
            CertificateTemplate.server().with {
                let points = TrustCost.der(0x30, TrustCost.der(0x30, point))
                $0.extensions.append(.raw("2.5.29.31", isCritical: true, points))
            }
        )
        let lists = [
            try CertificateRevocationList(der: chain.intermediate.revocationList(Scope("", Self.point).list)),
            try CertificateRevocationList(der: chain.root.revocationList(RevocationListTemplate())),
        ]
        let verdict = await TrustHarness.verdict(presented, roots: [chain.root], lists: lists)
        #expect(verdict.refusals == (isCovered ? [] : [.tlsRevocationUnknown]), "\(verdict.findings)")
    }

    @Test func `an authority's certificate of a server is not covered by a list for users`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let server = try root.issue(
            CertificateTemplate.server().with { $0.replaceExtension(with: .basicConstraints(isAuthority: true)) }
        )
        for (fields, isCovered) in [(Self.users, false), (Self.authorities, true)] {
            let list = try CertificateRevocationList(der: root.revocationList(Scope("", fields).list))
            let verdict = await TrustHarness.verdict([server.der], roots: [root], lists: [list])
            #expect(verdict.refusals == (isCovered ? [] : [.tlsRevocationUnknown]), "\(verdict.findings)")
        }
    }

    @Test func `a second distribution point does not widen the first`() async throws {
        var list = Scope("", Self.users).list
        list.extensions += Scope("", Self.authorities).list.extensions.suffix(1)
        #expect(try await verdict(list, RevocationListTemplate()).refusals == [.tlsRevocationUnknown])
    }

    @Test func `lists for users and for authorities cover an issuer together`() async throws {
        let lists = try [Self.users, Self.authorities].flatMap { fields in
            try [chain.intermediate, chain.root].map {
                try CertificateRevocationList(der: $0.revocationList(Scope("", fields).list))
            }
        }
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], lists: lists)
        #expect(verdict.isAccepted && verdict.findings.isEmpty, "\(verdict.findings)")
    }

    @Test func `a list of version 1 revokes its certificates, and leaves the others unknown`() async throws {
        let first = RevocationListTemplate(revoking: [.init(serialNumber: chain.leaf.serialNumber)]).with {
            $0.version = nil
            $0.extensions = []
            $0.addsKeyIdentifier = false
        }
        #expect(try await verdict(first, RevocationListTemplate()).code == .tlsRevoked)
        let other = first.with { $0.entries = [.init(serialNumber: [0x01])] }
        #expect(try await verdict(other, RevocationListTemplate()).refusals == [.tlsRevocationUnknown])
    }

    @Test(arguments: ["TEST ROOT", " Test  Root "], [CertificateName.StringType.printable, .utf8])
    func `a list counts however its issuer is spelled`(_ name: String, _ type: CertificateName.StringType) async throws
    {
        var list = RevocationListTemplate()
        list.issuer = CertificateName([.init(.commonName, name, as: type)])
        #expect(try await verdict(RevocationListTemplate(), list).findings.isEmpty)
        list.entries = [.init(serialNumber: chain.intermediate.serialNumber)]
        #expect(try await verdict(RevocationListTemplate(), list).refusals == [.tlsRevoked])
    }

    @Test func `a signature that does not verify makes the entries worthless, whatever the scope`() async throws {
        var list = Scope("", Self.authorities).list
        list.entries = [.init(serialNumber: chain.intermediate.serialNumber)]
        list.signatureDefect = .flippedBit
        let verdict = try await verdict(RevocationListTemplate(), list)
        #expect(verdict.isAccepted)
        #expect(verdict.warnings == [.tlsRevocationUnknown])
    }
}

extension RevocationListTemplate {
    /// Returns the template after `change`.
    fileprivate func with(_ change: (inout RevocationListTemplate) -> Void) -> RevocationListTemplate {
        var template = self
        change(&template)
        return template
    }
}
