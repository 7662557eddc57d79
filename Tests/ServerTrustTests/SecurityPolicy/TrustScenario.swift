import ProbeTestKit
import ServerTrust
import Testing

/// A server with its certificates, and the expected verdict of each kind of policy.
struct TrustScenario: Sendable, CustomTestStringConvertible {
    /// The condition under which a policy accepts the server.
    enum Acceptance: Sendable {
        /// With and without validation of the name.
        case always
        /// Only when the name is not validated; then the purpose does not count either.
        case withoutName
        case never

        func holds(validatesName: Bool) -> Bool {
            switch self {
            case .always: true
            case .withoutName: !validatesName
            case .never: false
            }
        }
    }

    /// The certificates of the scenario, and the server's expected identity.
    struct Material: Sendable {
        var presented: [[UInt8]]
        var anchors: [[UInt8]]
        /// The certificate where the chain ends, which certificate mode pins.
        var root: [UInt8]
        /// The certificate whose key public key mode pins.
        var leaf: [UInt8]
        var identity: ServerIdentity
    }

    let sentence: String
    /// The refusal of the default policy that matters most; nil when it accepts.
    let code: FindingCode?
    /// With the trust anchors.
    let trusted: Acceptance
    /// With the chain's root as the only anchor: certificate mode that allows invalid certificates.
    let pinnedRoot: Acceptance
    /// With the server's own certificate as the only anchor; nil where nothing says what such an anchor must be.
    let pinnedLeaf: Acceptance?
    /// With the server's key pinned: public key mode that allows invalid certificates.
    let pinnedKey: Acceptance
    let make: @Sendable (TrustFixtures) throws -> Material

    init(
        _ sentence: String,
        _ code: FindingCode?,
        trusted: Acceptance,
        root: Acceptance,
        leaf: Acceptance?,
        key: Acceptance,
        make: @escaping @Sendable (TrustFixtures) throws -> Material
    ) {
        self.sentence = sentence
        self.code = code
        self.trusted = trusted
        pinnedRoot = root
        pinnedLeaf = leaf
        pinnedKey = key
        self.make = make
    }

    /// A scenario that differs from the good site only in the server's certificate.
    init(
        _ sentence: String,
        _ code: FindingCode?,
        trusted: Acceptance,
        root: Acceptance,
        leaf: Acceptance?,
        key: Acceptance,
        identity: ServerIdentity = .name("host.test"),
        keyKind: TestKey.Kind = .p256,
        template: @escaping @Sendable (inout CertificateTemplate) -> Void
    ) {
        self.init(sentence, code, trusted: trusted, root: root, leaf: leaf, key: key) { fixtures in
            let presented = try fixtures.site.presenting(
                .server(names: ["host.test"]).with(template),
                key: TestKey(keyKind)
            )
            return Material(
                presented: presented,
                anchors: fixtures.anchors,
                root: fixtures.site.root.der,
                leaf: presented[0],
                identity: identity
            )
        }
    }

    /// A scenario with a whole chain of its own, whose root is trusted.
    init(
        _ sentence: String,
        _ code: FindingCode?,
        trusted: Acceptance,
        root: Acceptance,
        leaf: Acceptance?,
        key: Acceptance,
        chain: @escaping @Sendable () throws -> TestAuthority
    ) {
        self.init(sentence, code, trusted: trusted, root: root, leaf: leaf, key: key) { _ in
            let chain = try chain()
            return Material(
                presented: chain.presented,
                anchors: [chain.root.der],
                root: chain.root.der,
                leaf: chain.leaf.der,
                identity: .name("host.test")
            )
        }
    }

    var testDescription: String { sentence }
}
