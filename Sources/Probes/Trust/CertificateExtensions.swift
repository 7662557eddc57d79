internal import SwiftASN1

/// A certificate's extensions (RFC 5280, section 4.2), as far as path validation needs them.
struct CertificateExtensions: Sendable {
    /// The extensions that have a meaning here, by their object identifier.
    enum Identifier {
        static let subjectKeyIdentifier = "2.5.29.14"
        static let keyUsage = "2.5.29.15"
        static let subjectAlternativeName = "2.5.29.17"
        static let basicConstraints = "2.5.29.19"
        static let nameConstraints = "2.5.29.30"
        static let certificatePolicies = "2.5.29.32"
        static let authorityKeyIdentifier = "2.5.29.35"
        static let policyConstraints = "2.5.29.36"
        static let extendedKeyUsage = "2.5.29.37"
        static let inhibitAnyPolicy = "2.5.29.54"
        static let authorityInformationAccess = "1.3.6.1.5.5.7.1.1"
        static let subjectInformationAccess = "1.3.6.1.5.5.7.1.11"
    }

    struct BasicConstraints: Sendable, Hashable {
        let isAuthority: Bool
        let pathLength: Int?
    }

    struct AuthorityKeyIdentifier: Sendable, Hashable {
        let keyIdentifier: [UInt8]?
    }

    struct PolicyConstraints: Sendable, Hashable {
        let requireExplicitPolicy: Int?
        let inhibitPolicyMapping: Int?
    }

    /// Each extension's identifier and whether it is critical, in the order of the certificate.
    private(set) var list: [(identifier: String, isCritical: Bool)] = []
    private(set) var basicConstraints: BasicConstraints?
    private(set) var keyUsage: KeyUsage?
    private(set) var extendedKeyUsage: [String]?
    private(set) var subjectAlternativeNames: [GeneralNameForm] = []
    private(set) var subjectKeyIdentifier: [UInt8]?
    private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
    private(set) var nameConstraints: NameConstraints?
    private(set) var policies: [String]?
    private(set) var policyConstraints: PolicyConstraints?
    private(set) var inhibitAnyPolicy: Int?
    /// What could not be decoded.
    private(set) var flaws: [String] = []
    /// The identifiers that occur more than once.
    private(set) var duplicates: [String] = []

    /// Decodes the `[3]` field of a certificate.
    init(_ node: ASN1Node?) {
        guard let node else { return }
        guard let wrapped = node.children, wrapped.count == 1, let nodes = wrapped[0].sequence, !nodes.isEmpty else {
            flaws.append("its extensions cannot be decoded")
            return
        }
        var seen: Set<String> = []
        for node in nodes {
            guard let item = Self.item(node) else {
                flaws.append("an extension cannot be decoded")
                continue
            }
            list.append((item.identifier, item.isCritical))
            guard seen.insert(item.identifier).inserted else {
                duplicates.append(item.identifier)
                continue
            }
            if !decode(item.identifier, item.value) {
                flaws.append("the extension \(item.identifier) cannot be decoded")
            }
        }
    }

    /// One Extension: its identifier, criticality and value; nil when it is not one.
    static func item(_ node: ASN1Node) -> (identifier: String, isCritical: Bool, value: [UInt8])? {
        guard let parts = node.sequence, (2...3).contains(parts.count), let identifier = parts[0].objectIdentifier,
            let last = parts.last, last.identifier == .octetString, let value = last.primitiveBytes
        else { return nil }
        if parts.count == 2 { return (identifier, false, value) }
        guard let isCritical = parts[1].boolean else { return nil }
        return (identifier, isCritical, value)
    }

    func contains(_ identifier: String) -> Bool { list.contains { $0.identifier == identifier } }

    func isCritical(_ identifier: String) -> Bool {
        list.contains { $0.identifier == identifier && $0.isCritical }
    }

    private mutating func decode(_ identifier: String, _ value: [UInt8]) -> Bool {
        typealias Known = Identifier
        let known = [
            Known.subjectKeyIdentifier, Known.keyUsage, Known.subjectAlternativeName, Known.basicConstraints,
            Known.nameConstraints, Known.certificatePolicies, Known.authorityKeyIdentifier, Known.policyConstraints,
            Known.extendedKeyUsage, Known.inhibitAnyPolicy, Known.authorityInformationAccess,
        ]
        guard known.contains(identifier) else { return true }
        guard let node = ASN1Node.parsing(value) else { return false }
        switch identifier {
        case Known.basicConstraints: basicConstraints = Self.basicConstraints(node)
        case Known.keyUsage: keyUsage = KeyUsage(node)
        case Known.extendedKeyUsage: extendedKeyUsage = Self.identifiers(node)
        case Known.subjectAlternativeName:
            guard let names = node.sequence, !names.isEmpty else { return false }
            subjectAlternativeNames = names.compactMap(GeneralNameForm.init)
            return subjectAlternativeNames.count == names.count
        case Known.subjectKeyIdentifier:
            subjectKeyIdentifier = node.identifier == .octetString ? node.primitiveBytes : nil
            return subjectKeyIdentifier != nil
        case Known.authorityKeyIdentifier: authorityKeyIdentifier = Self.authorityKeyIdentifier(node)
        case Known.nameConstraints: nameConstraints = NameConstraints(node)
        case Known.certificatePolicies:
            guard let items = node.sequence, !items.isEmpty else { return false }
            let identifiers = items.compactMap { $0.sequence?.first?.objectIdentifier }
            policies = identifiers
            return identifiers.count == items.count
        case Known.policyConstraints: policyConstraints = Self.policyConstraints(node)
        case Known.inhibitAnyPolicy: inhibitAnyPolicy = node.integerBytes.flatMap(Self.smallNumber)
        case Known.authorityInformationAccess:
            guard let items = node.sequence, !items.isEmpty else { return false }
            return items.allSatisfy { item in
                guard let parts = item.sequence, parts.count == 2 else { return false }
                return parts[0].objectIdentifier != nil && GeneralNameForm(parts[1]) != nil
            }
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
