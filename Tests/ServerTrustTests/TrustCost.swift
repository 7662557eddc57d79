import ForeignText
import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// A family of certificates that are made to keep an evaluator busy, by their size.
struct TrustCost: Sendable, CustomTestStringConvertible {
    /// The certificates that are presented, and the evaluator's anchors, revocation lists and pinning mode.
    struct Material: Sendable {
        var presented: [[UInt8]]
        var anchors: [[UInt8]]
        var lists: [CertificateRevocationList] = []
        var mode = SecurityPolicy.PinningMode.none

        func evaluate(within budget: WorkBudget) throws -> TrustVerdict {
            // Without the name's validation as well as with it nothing may cost more.
            let policy = SecurityPolicy(
                pinningMode: mode,
                pinnedCertificates: try anchors.prefix(1).map { try PinnedCertificate(der: $0) }
            )
            return TrustEvaluator(
                policy: policy,
                anchors: TrustAnchors(certificates: anchors),
                revocationLists: lists
            ).evaluate(presented: presented, identity: .name("host.test"), at: TestDate.present, within: budget)
        }
    }

    let testDescription: String
    /// The size up to which the product takes it: a certificate of 128 KiB, a handshake's 100 KB, or a limit in number.
    let maximum: Int
    /// The sizes that are compared, each twice the one before.
    let sizes: [Int]
    let make: @Sendable (Int) throws -> Material

    init(_ name: String, maximum: Int, doublings: Int = 3, _ make: @escaping @Sendable (Int) throws -> Material) {
        (testDescription, self.maximum, self.make) = (name, maximum, make)
        sizes = (0...doublings).reversed().map { maximum >> $0 }
    }
}

extension TrustCost {
    private static func site(_ change: (inout CertificateTemplate) -> Void) throws -> Material {
        let chain = try TestAuthority.standard()
        return Material(
            presented: try chain.presenting(CertificateTemplate.server().with(change)),
            anchors: [chain.root.der]
        )
    }

    /// A server below an authority that constrains its names.
    private static func constrained(_ constraints: CertificateExtension, _ names: [AlternativeName]) throws -> Material
    {
        let chain = try TestAuthority(
            intermediate: CertificateTemplate.intermediate().with { $0.extensions.append(constraints) }
        )
        let leaf = CertificateTemplate.server().with {
            $0.replaceExtension(with: .subjectAlternativeName([.dns("host.test")] + names))
        }
        return Material(presented: try chain.presenting(leaf), anchors: [chain.root.der])
    }

    private static func shortNames(_ count: Int) throws -> Material {
        try site { $0.replaceExtension(with: .subjectAlternativeName(Array(repeating: .dns(""), count: count))) }
    }

    private static func policies(_ count: Int) -> CertificateExtension {
        let items = (0..<count).map { number in
            let identifier: [UInt8] =
                [0x06, 0x05, 0x2A, 0x03]
                + [0x80 | UInt8(number >> 14 & 0x7F | 1), 0x80 | UInt8(number >> 7 & 0x7F), UInt8(number & 0x7F)]
            return [0x30, UInt8(identifier.count)] + identifier
        }
        return .raw("2.5.29.32", der(0x30, Array(items.joined())))
    }

    static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        repeat {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        } while rest > 0
        return [tag] + (content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length) + content
    }

    private static let marks = "\u{301}\u{323}"

    static let names: [TrustCost] = [
        TrustCost("combining marks in a common name", maximum: 100_000) { size in
            try site { $0.subject = .common("a" + String(repeating: marks, count: size / 4)) }
        },
        TrustCost("common names with combining marks", maximum: 1000) { count in
            try site {
                $0.subject = CertificateName(
                    Array(repeating: .init(.commonName, "a" + String(repeating: marks, count: 16)), count: count)
                )
            }
        },
        TrustCost("common names and alternative names", maximum: 2000) { count in
            try site {
                $0.subject = CertificateName((0..<count).map { .init(.commonName, "c\($0).test") })
                $0.replaceExtension(
                    with: .subjectAlternativeName(dns: (0..<count).map { "n\($0).test" } + ["host.test"])
                )
            }
        },
        TrustCost("alternative names of combining marks", maximum: 100_000) { size in
            try site {
                $0.replaceExtension(
                    with: .subjectAlternativeName([
                        .dns("host.test"), .uri(String(repeating: marks, count: size / 8)),
                        .email(String(repeating: marks, count: size / 8)),
                    ])
                )
            }
        },
        TrustCost("alternative names", maximum: 8000) { count in
            try site {
                $0.replaceExtension(with: .subjectAlternativeName(dns: (0..<count).map { "n\($0).test" }))
            }
        },
        TrustCost("alternative names of two bytes", maximum: 40_000, shortNames),
        TrustCost("as many alternative names of two bytes as are decoded", maximum: 10_000, shortNames),
        TrustCost("DNS names and constraints", maximum: 3000) { count in
            try constrained(
                .nameConstraints(excluded: (0..<count).map { .dns("x\($0).test") }),
                (0..<count).map { .dns("n\($0).test") }
            )
        },
        // Names and constraints multiply up to the search's limit, which is beyond what a certificate can hold here.
        TrustCost("long resources and constraints", maximum: 128, doublings: 0) { count in
            try constrained(
                .nameConstraints(excluded: (0..<count).map { .uri("x\($0).test") }),
                (0..<count).map { .uri("https://n\($0).test/" + String(repeating: "x", count: 700)) }
            )
        },
        TrustCost("distinguished names of combining marks and constraints", maximum: 200) { count in
            let text = String(repeating: marks, count: 48)
            return try constrained(
                .nameConstraints(permitted: (0..<count).map { .directory(.common("\(text)\($0)")) }),
                (0..<count).map { .directory(.common("\(text)n\($0)")) }
            )
        },
    ]

    /// Authorities of one name in two spellings, any of which may have issued any other, below an anchor of the name.
    private static func spellings(_ count: Int) throws -> Material {
        let names = ["é", "E\u{301}"].map { letter in
            let text = String(repeating: letter, count: 32)
            return CertificateName(Array(repeating: .init(.commonName, text), count: count))
        }
        let root = try IssuedCertificate.selfSigned(CertificateTemplate.authority().with { $0.subject = names[0] })
        let crowd = try (0..<16).map { number in
            try root.issue(
                CertificateTemplate.intermediate().with {
                    $0.subject = names[number % 2]
                    $0.issuer = names[(number + 1) % 2]
                }
            )
        }
        let leaf = try crowd[0].issue(CertificateTemplate.server().with { $0.issuer = names[1] })
        return Material(presented: [leaf.der] + crowd.map(\.der), anchors: [root.der])
    }

    /// A list beside a dozen authorities of its issuer's name, any of which may have signed it.
    static func list(of size: Int) throws -> Material {
        var issuer = try IssuedCertificate.selfSigned(.authority("Same"))
        let root = issuer
        var chain: [[UInt8]] = []
        for _ in 0..<12 {
            issuer = try issuer.issue(.intermediate("Same"))
            chain.insert(issuer.der, at: 0)
        }
        var list = RevocationListTemplate()
        list.extensions.append(.raw("1.3.6.1.4.1.55555.1", Array(repeating: 0, count: size)))
        return Material(
            presented: [try issuer.issue(.server()).der] + chain,
            anchors: [root.der],
            lists: [try CertificateRevocationList(der: root.revocationList(list))]
        )
    }

    static let forms: [TrustCost] = [
        TrustCost("a long list of authorities of one name", maximum: 1 << 22, list),
        TrustCost("a long name of authorities in two spellings", maximum: 160, spellings),
        TrustCost("critical extensions under a long name", maximum: 4000) { count in
            try site {
                $0.subject = .common(String(repeating: "x", count: count))
                $0.extensions += (0..<count).map { .raw(CertificateOID("1.2.3.\($0)"), isCritical: true, [5, 0]) }
            }
        },
        TrustCost("the same extension again under a long name", maximum: 4000) { count in
            try site {
                $0.subject = .common(String(repeating: "x", count: count))
                $0.extensions += Array(repeating: .raw("2.5.29.14", [5, 0]), count: count)
            }
        },
        TrustCost("policies that two authorities require", maximum: 8000) { count in
            let require = CertificateExtension.raw("2.5.29.36", isCritical: true, [0x30, 0x03, 0x80, 0x01, 0x00])
            let chain = try TestAuthority(
                intermediate: CertificateTemplate.intermediate().with { $0.extensions += [policies(count), require] },
                leaf: CertificateTemplate.server().with { $0.extensions.append(policies(count)) }
            )
            return Material(presented: chain.presented, anchors: [chain.root.der])
        },
        TrustCost("nested sequences", maximum: 100_000) { size in
            var bytes: [UInt8] = []
            while bytes.count < size { bytes += [0x30, 0x80] }
            return Material(presented: [bytes], anchors: [])
        },
        TrustCost("sequences of sequences in a name", maximum: 40) { depth in
            var nested: [UInt8] = [5, 0]
            for _ in 0..<depth { nested = der(0x30, nested + Array(repeating: [5, 0], count: 1000).joined()) }
            return try site { $0.replaceExtension(with: .raw("2.5.29.17", nested)) }
        },
        TrustCost("a long object identifier", maximum: 60_000) { size in
            let identifier = der(0x06, [0x2A] + Array(repeating: 0x01, count: size))
            return try site { $0.extensions.append(.raw("2.5.29.37", der(0x30, identifier))) }
        },
        TrustCost("a long serial number", maximum: 100_000) { size in
            try site { $0.serialNumber = Array(repeating: 0x41, count: size) }
        },
    ]

    /// Authorities that sign each other: each certificate is by another one of the names and keys.
    private static func crossed(_ count: Int, keys: Int, mode: SecurityPolicy.PinningMode) throws -> Material {
        let holders = try (0..<keys).map { _ in try IssuedCertificate.selfSigned(.authority("Same")) }
        let leaf = try holders[0].issue(.server())
        let crowd = try (0..<count).map { number in
            let template = CertificateTemplate.intermediate("Same").with {
                $0.extensions.append(.subjectAlternativeName(dns: ["n\(number).test"]))
            }
            return try holders[number % keys].issue(template, key: holders[(number / keys) % keys].key).der
        }
        let stranger = try IssuedCertificate.selfSigned(.authority("Stranger"))
        return Material(presented: [leaf.der] + crowd, anchors: [stranger.der], mode: mode)
    }

    // Smaller graphs have fewer paths than the search follows, and each authority more multiplies them.
    static let graphs: [TrustCost] = SecurityPolicy.PinningMode.allCases.flatMap { mode in
        [
            TrustCost("authorities of one key that sign each other, mode \(mode)", maximum: 128) { count in
                try crossed(count, keys: 1, mode: mode)
            },
            TrustCost("authorities of eight keys that sign each other, mode \(mode)", maximum: 128, doublings: 1) {
                count in
                try crossed(count, keys: 8, mode: mode)
            },
            TrustCost("a long chain, mode \(mode)", maximum: 64) { count in
                var issuer = try IssuedCertificate.selfSigned(.authority("Root"))
                let root = issuer
                var chain: [[UInt8]] = []
                for number in 0..<count {
                    issuer = try issuer.issue(.intermediate("Authority \(number)"))
                    chain.insert(issuer.der, at: 0)
                }
                return Material(
                    presented: [try issuer.issue(.server()).der] + chain,
                    anchors: [root.der],
                    mode: mode
                )
            },
        ]
    }
}
