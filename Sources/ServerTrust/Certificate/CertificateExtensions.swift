internal import ForeignText
internal import SwiftASN1

/// The extensions of a certificate (RFC 5280, section 4.2) that path validation needs.
struct CertificateExtensions: Sendable {
    /// The object identifiers of the supported extensions.
    enum Identifier {
        static let subjectKeyIdentifier: ForeignText = "2.5.29.14"
        static let keyUsage: ForeignText = "2.5.29.15"
        static let subjectAlternativeName: ForeignText = "2.5.29.17"
        static let basicConstraints: ForeignText = "2.5.29.19"
        static let nameConstraints: ForeignText = "2.5.29.30"
        static let distributionPoints: ForeignText = "2.5.29.31"
        static let certificatePolicies: ForeignText = "2.5.29.32"
        static let policyMappings: ForeignText = "2.5.29.33"
        static let authorityKeyIdentifier: ForeignText = "2.5.29.35"
        static let policyConstraints: ForeignText = "2.5.29.36"
        static let extendedKeyUsage: ForeignText = "2.5.29.37"
        static let inhibitAnyPolicy: ForeignText = "2.5.29.54"
        static let authorityInformationAccess: ForeignText = "1.3.6.1.5.5.7.1.1"
        static let subjectInformationAccess: ForeignText = "1.3.6.1.5.5.7.1.11"
    }

    struct BasicConstraints: Sendable, Hashable {
        let isAuthority: Bool
        let pathLength: Int?
    }

    struct AuthorityKeyIdentifier: Sendable, Hashable {
        let keyIdentifier: [UInt8]?
    }

    struct PolicyMapping: Sendable, Hashable {
        let issuerPolicy: ForeignText
        let subjectPolicy: ForeignText
    }

    struct PolicyConstraints: Sendable, Hashable {
        let requireExplicitPolicy: Int?
        let inhibitPolicyMapping: Int?
    }

    /// The maximum number of recorded flaws and duplicates; one is enough to refuse a certificate.
    private static let maximumFlaws = 16
    /// The maximum number of alternative names of a certificate; real ones have two thousand at most.
    private static let maximumNames = 10_000
    /// The maximum number of names of distribution points; real certificates have one or two.
    private static let maximumPoints = 64
    private static let known: Set<ForeignText> = [
        Identifier.subjectKeyIdentifier, Identifier.keyUsage, Identifier.subjectAlternativeName,
        Identifier.basicConstraints, Identifier.nameConstraints, Identifier.certificatePolicies,
        Identifier.authorityKeyIdentifier, Identifier.policyConstraints, Identifier.extendedKeyUsage,
        Identifier.inhibitAnyPolicy, Identifier.authorityInformationAccess, Identifier.policyMappings,
    ]

    /// Each extension's identifier and criticality, in the order of the certificate.
    private(set) var list: [(identifier: ForeignText, isCritical: Bool)] = []
    private(set) var basicConstraints: BasicConstraints?
    private(set) var keyUsage: KeyUsage?
    private(set) var extendedKeyUsage: [ForeignText]?
    private(set) var subjectAlternativeNames: [GeneralNameForm] = []
    private(set) var subjectKeyIdentifier: [UInt8]?
    private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
    private(set) var nameConstraints: NameConstraints?
    private(set) var policies: [ForeignText]?
    private(set) var policyMappings: [PolicyMapping] = []
    private(set) var policyConstraints: PolicyConstraints?
    private(set) var inhibitAnyPolicy: Int?
    /// The names of the points of complete revocation lists, in DER; those of an invalid extension are left out.
    private(set) var distributionPoints: [[UInt8]] = []
    /// The decoding errors.
    private(set) var flaws: [String] = []
    /// The identifiers that occur more than once.
    private(set) var duplicates: [ForeignText] = []

    /// Decodes the `[3]` field of a certificate, and ends early once the budget is exceeded.
    init(_ node: ASN1Node?, within budget: WorkBudget) {
        guard let node else { return }
        guard let wrapped = node.children, wrapped.count == 1, let nodes = wrapped[0].sequence, !nodes.isEmpty else {
            note("its extensions cannot be decoded")
            return
        }
        var seen: Set<ForeignText> = []
        for node in nodes {
            guard budget.allows(node.steps) else { return }
            guard let item = Self.item(node) else {
                note("an extension cannot be decoded")
                continue
            }
            list.append((item.identifier, item.isCritical))
            guard seen.insert(item.identifier).inserted else {
                if duplicates.count < Self.maximumFlaws, !duplicates.contains(item.identifier) {
                    duplicates.append(item.identifier)
                }
                continue
            }
            if !decode(item.identifier, item.isCritical, item.value, within: budget) {
                note("the extension \(item.identifier) cannot be decoded")
            }
        }
    }

    /// Decodes one Extension: its identifier, criticality and value; nil when it is invalid.
    static func item(_ node: ASN1Node) -> (identifier: ForeignText, isCritical: Bool, value: [UInt8])? {
        guard let parts = node.sequence, (2...3).contains(parts.count), let identifier = parts[0].objectIdentifier,
            let last = parts.last, last.identifier == .octetString, let value = last.primitiveBytes
        else { return nil }
        if parts.count == 2 { return (identifier, false, value) }
        guard let isCritical = parts[1].boolean else { return nil }
        return (identifier, isCritical, value)
    }

    func contains(_ identifier: ForeignText) -> Bool { list.contains { $0.identifier == identifier } }

    func isCritical(_ identifier: ForeignText) -> Bool {
        list.contains { $0.identifier == identifier && $0.isCritical }
    }

    private mutating func note(_ flaw: String) {
        if flaws.count < Self.maximumFlaws { flaws.append(flaw) }
    }

    private mutating func decode(
        _ identifier: ForeignText,
        _ isCritical: Bool,
        _ value: [UInt8],
        within budget: WorkBudget
    ) -> Bool {
        typealias Known = Identifier
        if identifier == Known.distributionPoints {
            let node = ASN1Node.parsing(value, within: budget)
            distributionPoints = Array((node?.distributionPoints ?? []).prefix(Self.maximumPoints))
            // RFC 5280, section 4.2: only a critical extension that cannot be processed has to refuse the certificate.
            return !isCritical || node?.isDistributionPoints(within: budget) == true
        }
        guard Self.known.contains(identifier) else { return true }
        guard let node = ASN1Node.parsing(value, within: budget) else { return false }
        switch identifier {
        case Known.basicConstraints: basicConstraints = Self.basicConstraints(node)
        case Known.keyUsage: keyUsage = KeyUsage(node)
        case Known.extendedKeyUsage: extendedKeyUsage = Self.identifiers(node, within: budget)
        case Known.subjectAlternativeName:
            guard let names = node.sequence, (1...Self.maximumNames).contains(names.count) else { return false }
            subjectAlternativeNames = names.decoded(within: budget) { GeneralNameForm($0, within: budget) }
            return subjectAlternativeNames.count == names.count
        case Known.subjectKeyIdentifier:
            subjectKeyIdentifier = node.identifier == .octetString ? node.primitiveBytes : nil
            return subjectKeyIdentifier != nil
        case Known.authorityKeyIdentifier: authorityKeyIdentifier = Self.authorityKeyIdentifier(node)
        case Known.nameConstraints: nameConstraints = NameConstraints(node, within: budget)
        case Known.certificatePolicies:
            guard let items = node.sequence, !items.isEmpty else { return false }
            let identifiers = items.decoded(within: budget) { $0.sequence?.first?.objectIdentifier }
            policies = identifiers
            return identifiers.count == items.count
        case Known.policyMappings:
            guard let items = node.sequence, !items.isEmpty else { return false }
            policyMappings = items.decoded(within: budget, PolicyMapping.init)
            return policyMappings.count == items.count
        case Known.policyConstraints: policyConstraints = Self.policyConstraints(node)
        case Known.inhibitAnyPolicy: inhibitAnyPolicy = node.integerBytes.flatMap(Self.smallNumber)
        case Known.authorityInformationAccess:
            guard let items = node.sequence, !items.isEmpty else { return false }
            let locations = items.decoded(within: budget) { item -> GeneralNameForm? in
                guard let parts = item.sequence, parts.count == 2, parts[0].objectIdentifier != nil else { return nil }
                return GeneralNameForm(parts[1], within: budget)
            }
            return locations.count == items.count
        default: break
        }
        switch identifier {
        case Known.basicConstraints: return basicConstraints != nil
        case Known.keyUsage: return keyUsage != nil
        case Known.extendedKeyUsage: return extendedKeyUsage?.isEmpty == false
        case Known.authorityKeyIdentifier: return authorityKeyIdentifier != nil
        case Known.nameConstraints: return nameConstraints != nil
        case Known.policyConstraints: return policyConstraints != nil
        case Known.inhibitAnyPolicy: return inhibitAnyPolicy != nil
        default: return true
        }
    }
}

/// The decoding of single extensions; each returns nil for a malformed value.
extension CertificateExtensions {
    private static func basicConstraints(_ node: ASN1Node) -> BasicConstraints? {
        guard var parts = node.sequence?[...] else { return nil }
        var isAuthority = false
        if let first = parts.first, first.identifier == .boolean {
            guard let value = first.boolean else { return nil }
            isAuthority = value
            parts = parts.dropFirst()
        }
        guard let last = parts.first else { return BasicConstraints(isAuthority: isAuthority, pathLength: nil) }
        guard parts.count == 1, let length = last.integerBytes.flatMap(smallNumber) else { return nil }
        return BasicConstraints(isAuthority: isAuthority, pathLength: length)
    }

    private static func identifiers(_ node: ASN1Node, within budget: WorkBudget) -> [ForeignText]? {
        guard let parts = node.sequence else { return nil }
        let identifiers = parts.decoded(within: budget, \.objectIdentifier)
        return identifiers.count == parts.count ? identifiers : nil
    }

    private static func authorityKeyIdentifier(_ node: ASN1Node) -> AuthorityKeyIdentifier? {
        guard let parts = node.sequence, parts.haveAscendingTags else { return nil }
        var keyIdentifier: [UInt8]?
        for part in parts {
            switch part.contextTag {
            case 0:
                guard let bytes = part.primitiveBytes else { return nil }
                keyIdentifier = bytes
            case 1, 2: break
            default: return nil
            }
        }
        return AuthorityKeyIdentifier(keyIdentifier: keyIdentifier)
    }

    private static func policyConstraints(_ node: ASN1Node) -> PolicyConstraints? {
        guard let parts = node.sequence, !parts.isEmpty, parts.haveAscendingTags else { return nil }
        var explicit: Int?
        var mapping: Int?
        for part in parts {
            guard let number = part.implicitIntegerBytes.flatMap(smallNumber) else { return nil }
            switch part.contextTag {
            case 0: explicit = number
            case 1: mapping = number
            default: return nil
            }
        }
        return PolicyConstraints(requireExplicitPolicy: explicit, inhibitPolicyMapping: mapping)
    }

    /// Decodes a non-negative number of certificates, clamped because no path is that long.
    private static func smallNumber(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first < 0x80 else { return nil }
        return bytes.count > 2 ? Int(UInt16.max) : bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

extension CertificateExtensions.PolicyMapping {
    /// Decodes a pair of policies; nil when it is invalid.
    fileprivate init?(_ node: ASN1Node) {
        guard let parts = node.sequence, parts.count == 2, let issuer = parts[0].objectIdentifier,
            let subject = parts[1].objectIdentifier
        else { return nil }
        self.init(issuerPolicy: issuer, subjectPolicy: subject)
    }
}
