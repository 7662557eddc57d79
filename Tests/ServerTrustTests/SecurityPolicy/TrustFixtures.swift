import FoundationEssentials
import ProbeTestKit
import ServerTrust
import Testing

/// The servers of these tests: two sites with authorities of their own, both trusted, and three self-signed ones.
struct TrustFixtures: Sendable {
    /// A certificate that can be pinned.
    enum Certificate: Sendable, CaseIterable {
        case leaf, intermediate, root
        case otherLeaf, otherIntermediate
        /// Self-signed, for no host.
        case nameless
        /// Self-signed, with the host as its common name only.
        case common
        /// Self-signed, for the host.
        case named
    }

    /// The server that answers.
    enum Server: Sendable {
        case site, otherSite, nameless, common, named
    }

    /// The site `host.test`.
    let site: TestAuthority
    /// The site `other.test`.
    let other: TestAuthority
    private let nameless: IssuedCertificate
    private let common: IssuedCertificate
    private let named: IssuedCertificate

    private static let cached = Result { try TrustFixtures() }

    /// The fixtures that all tests share.
    static var shared: TrustFixtures { get throws { try cached.get() } }

    private init() throws {
        site = try TestAuthority.standard(names: ["host.test"])
        other = try TestAuthority(
            root: .authority("Other Root"),
            intermediate: .intermediate("Other Intermediate"),
            leaf: .server(names: ["other.test"])
        )
        nameless = try .selfSigned(.server(names: []).with { $0.removeExtension("2.5.29.17") })
        common = try .selfSigned(.server(names: ["host.test"]).with { $0.removeExtension("2.5.29.17") })
        named = try .selfSigned(.server(names: ["host.test"]))
    }

    /// The roots that stand for the system's.
    var anchors: [[UInt8]] { [site.root.der, other.root.der] }

    func certificate(_ certificate: Certificate) -> IssuedCertificate {
        switch certificate {
        case .leaf: site.leaf
        case .intermediate: site.intermediate
        case .root: site.root
        case .otherLeaf: other.leaf
        case .otherIntermediate: other.intermediate
        case .nameless: nameless
        case .common: common
        case .named: named
        }
    }

    func presented(by server: Server) -> [[UInt8]] {
        switch server {
        case .site: site.presented
        case .otherSite: other.presented
        case .nameless: [nameless.der]
        case .common: [common.der]
        case .named: [named.der]
        }
    }

    func pins(_ certificates: [Certificate]) throws -> [PinnedCertificate] {
        try certificates.map { try PinnedCertificate(der: certificate($0).der) }
    }

    /// Returns a policy's verdict on a server, at ``TestDate/present``.
    func verdict(
        _ server: Server,
        _ policy: SecurityPolicy,
        host: String? = "host.test"
    ) async -> TrustVerdict {
        await verdict(presented(by: server), policy, host: host)
    }

    /// Returns a policy's verdict on these certificates; an accepted chain is checked with the X509 module.
    func verdict(
        _ presented: [[UInt8]],
        _ policy: SecurityPolicy,
        host: String? = "host.test",
        anchors: [[UInt8]]? = nil,
        at date: Date = TestDate.present
    ) async -> TrustVerdict {
        let anchors = anchors ?? self.anchors
        let evaluator = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: anchors))
        let verdict = await evaluator.evaluate(presented: presented, identity: host.map { .name($0) }, at: date)
        await SecondOpinion.check(verdict, under: policy, among: presented + anchors, at: date)
        return verdict
    }
}
