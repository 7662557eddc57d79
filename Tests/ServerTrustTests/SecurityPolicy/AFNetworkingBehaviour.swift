import ServerTrust
import Testing

/// One evaluation of AFNetworking's tests of its security policy, with its number in probes.md.
struct AFNetworkingBehaviour: Sendable, CustomTestStringConvertible {
    let number: Int
    let sentence: String
    let mode: SecurityPolicy.PinningMode
    let pins: [TrustFixtures.Certificate]
    let allowsInvalid: Bool
    let validatesName: Bool
    let server: TrustFixtures.Server
    let host: String?
    let isAccepted: Bool

    init(
        _ number: Int,
        _ sentence: String,
        _ mode: SecurityPolicy.PinningMode = .none,
        pins: [TrustFixtures.Certificate] = [],
        allowsInvalid: Bool = false,
        validatesName: Bool = true,
        server: TrustFixtures.Server = .site,
        host: String? = nil,
        isAccepted: Bool
    ) {
        self.number = number
        self.sentence = sentence
        self.mode = mode
        self.pins = pins
        self.allowsInvalid = allowsInvalid
        self.validatesName = validatesName
        self.server = server
        self.host = host
        self.isAccepted = isAccepted
    }

    var testDescription: String { "\(number): \(sentence)" }

    func policy(_ fixtures: TrustFixtures) throws -> SecurityPolicy {
        SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: try fixtures.pins(pins),
            allowsInvalidCertificates: allowsInvalid,
            validatesDomainName: validatesName
        )
    }

    /// The behaviours without a pinning mode.
    private static let unpinned: [AFNetworkingBehaviour] = [
        .init(5, "a trusted site is accepted without a name", isAccepted: true),
        .init(6, "a trusted site is accepted under its name", host: "host.test", isAccepted: true),
        .init(7, "a self-signed server is refused without a name", server: .nameless, isAccepted: false),
        .init(8, "a trusted site is refused under another site's name", host: "other.test", isAccepted: false),
        .init(
            33,
            "a trusted site is accepted under any name when names are not validated",
            validatesName: false,
            host: "invalid.test",
            isAccepted: true
        ),
        .init(36, "a trusted site is refused under an unknown name", host: "invalid.test", isAccepted: false),
        .init(
            38,
            "a self-signed server is accepted without a name when invalid certificates are allowed",
            allowsInvalid: true,
            server: .named,
            isAccepted: true
        ),
        .init(
            40,
            "a self-signed server is accepted when neither trust nor the name is validated",
            allowsInvalid: true,
            validatesName: false,
            server: .named,
            host: "host.test",
            isAccepted: true
        ),
        .init(41, "a self-signed server with a name is refused without a name", server: .named, isAccepted: false),
        .init(
            43,
            "a name cannot be validated without a pinning mode, even if there are pins",
            pins: [.named],
            allowsInvalid: true,
            server: .named,
            host: "host.test",
            isAccepted: false
        ),
        .init(
            44,
            "a name cannot be validated without a pinning mode and pins",
            allowsInvalid: true,
            server: .named,
            host: "host.test",
            isAccepted: false
        ),
    ]

    /// The ten evaluations that both pinning modes share, from number 11 or 23.
    private static func pinned(_ mode: SecurityPolicy.PinningMode, from first: Int) -> [AFNetworkingBehaviour] {
        [
            .init(first, "the leaf is enough as a pin", mode, pins: [.leaf], isAccepted: true),
            .init(first + 1, "the intermediate is enough as a pin", mode, pins: [.intermediate], isAccepted: true),
            .init(first + 2, "the root is enough as a pin", mode, pins: [.root], isAccepted: true),
            .init(
                first + 3,
                "the whole chain may be pinned",
                mode,
                pins: [.leaf, .intermediate, .root],
                isAccepted: true
            ),
            .init(
                first + 4,
                "one pin that matches is enough beside one that does not",
                mode,
                pins: [.leaf, .otherLeaf],
                isAccepted: true
            ),
            .init(
                first + 5,
                "a pinned leaf is accepted under its name",
                mode,
                pins: [.leaf],
                host: "host.test",
                isAccepted: true
            ),
            .init(first + 6, "without pins everybody is refused", mode, isAccepted: false),
            .init(
                first + 7,
                "another site is refused, though it is trusted",
                mode,
                pins: [.leaf],
                server: .otherSite,
                isAccepted: false
            ),
            .init(
                first + 8,
                "a pinned leaf is refused under another name",
                mode,
                pins: [.leaf],
                host: "other.test",
                isAccepted: false
            ),
            .init(
                first + 9,
                "two pins that do not match are as bad as one",
                mode,
                pins: [.leaf, .intermediate],
                server: .otherSite,
                isAccepted: false
            ),
        ]
    }

    /// The behaviours where a pinning mode meets certificates that are allowed to be invalid.
    private static let pinnedAndInvalid: [AFNetworkingBehaviour] = [
        .init(
            37,
            "in certificate mode a pinned self-signed server for no host is refused under a name",
            .certificate,
            pins: [.nameless],
            allowsInvalid: true,
            server: .nameless,
            host: "host.test",
            isAccepted: false
        ),
        .init(
            35,
            "a pinned key of a self-signed server is accepted under its name",
            .publicKey,
            pins: [.named],
            allowsInvalid: true,
            server: .named,
            host: "host.test",
            isAccepted: true
        ),
        .init(
            39,
            "a pinned key makes a self-signed server acceptable",
            .publicKey,
            pins: [.named],
            allowsInvalid: true,
            server: .named,
            host: "host.test",
            isAccepted: true
        ),
        .init(
            42,
            "without pinned keys a self-signed server is refused",
            .publicKey,
            allowsInvalid: true,
            server: .named,
            host: "host.test",
            isAccepted: false
        ),
    ]

    /// Every evaluation that we decide as AFNetworking does, whatever the compatibility says.
    static let shared = unpinned + pinned(.publicKey, from: 11) + pinned(.certificate, from: 23) + pinnedAndInvalid

    /// The one where AFNetworking never looks at the name: the host is the common name only, which does not count.
    static let commonName = AFNetworkingBehaviour(
        34,
        "a pinned key of a self-signed server is accepted under its common name",
        .publicKey,
        pins: [.common],
        allowsInvalid: true,
        server: .common,
        host: "host.test",
        isAccepted: true
    )
}
