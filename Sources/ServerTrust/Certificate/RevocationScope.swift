internal import ForeignText
internal import SwiftASN1

/// The certificates that a revocation list covers: all of its issuer's, or those of its issuing distribution point
/// (RFC 5280, section 5.2.5).
///
/// The scope limits only what a missing entry means. An entry of a direct list is conclusive whatever the scope: serial
/// numbers are unique for each issuer.
struct RevocationScope: Sendable, Hashable {
    /// `true` if the list is only for some reasons.
    private var isPart = false
    /// The names of the distribution point in DER; nil for a list of all points.
    private var point: [[UInt8]]?
    private var isForAuthorities = false
    private var isForOthers = false
    /// The reason that the entries may be other certificates'; nil for a direct list of certificates.
    private(set) var obstacle: String?

    /// The scope of a list without an issuing distribution point.
    static let everything = RevocationScope()

    private init() {}

    /// Decodes the extension; nil when it is malformed, or empty, which RFC 5280 forbids.
    init?(_ value: [UInt8]) {
        guard let fields = ASN1Node.parsing(value)?.sequence, !fields.isEmpty, fields.haveAscendingTags else {
            return nil
        }
        for field in fields {
            switch field.contextTag {
            case 0: point = field.distributionPointNames
            case 3: isPart = true
            case 1, 2, 4, 5:
                guard let bytes = field.primitiveBytes, bytes == [0x00] || bytes == [0xFF] else { return nil }
                guard bytes == [0xFF] else { continue }
                switch field.contextTag {
                case 1: isForOthers = true
                case 2: isForAuthorities = true
                case 4: obstacle = "it is an indirect list"
                default: obstacle = obstacle ?? "it is for attribute certificates"
                }
            default: return nil
            }
        }
    }

    /// Returns the reason that the list may omit `certificate` although it is revoked, as a clause; nil when it must not.
    func omission(of certificate: DecodedCertificate) -> String? {
        if isPart { return "covers only some reasons" }
        if let point, !certificate.extensions.distributionPoints.contains(where: point.contains) {
            return "is that of a distribution point that the certificate does not name"
        }
        // RFC 5280, section 6.3.3, b: the basic constraints decide, not the position in the path.
        let isAuthority = certificate.extensions.basicConstraints?.isAuthority == true
        if isForAuthorities, !isAuthority { return "covers only authorities" }
        return isForOthers && isAuthority ? "does not cover authorities" : nil
    }
}

extension ASN1Node {
    /// The names of a distribution point (RFC 5280, section 4.2.1.13) in DER; none for one relative to its issuer.
    fileprivate var distributionPointNames: [[UInt8]] {
        guard let names = children?.first, names.contextTag == 0 else { return [] }
        return names.children?.map { [UInt8]($0.encodedBytes) } ?? []
    }

    /// The names of all points of an extension in DER, except those whose list is for some reasons or by another issuer.
    var distributionPoints: [[UInt8]] {
        (sequence ?? []).flatMap { point in
            guard let fields = point.sequence, fields.count == 1, fields[0].contextTag == 0 else { return [[UInt8]]() }
            return fields[0].distributionPointNames
        }
    }

    /// Returns whether the node is a well-formed CRLDistributionPoints; false also once the budget is exceeded.
    func isDistributionPoints(within budget: WorkBudget) -> Bool {
        guard let points = sequence, !points.isEmpty else { return false }
        return points.allSatisfy { $0.isDistributionPoint(within: budget) }
    }

    private func isDistributionPoint(within budget: WorkBudget) -> Bool {
        guard let fields = sequence, fields.haveAscendingTags else { return false }
        for field in fields {
            switch field.contextTag {
            case 0:
                guard let names = field.children, names.count == 1 else { return false }
                switch names[0].contextTag {
                case 0: guard names[0].isGeneralNames(within: budget) else { return false }
                case 1: guard names[0].children?.isEmpty == false else { return false }
                default: return false
                }
            case 1: guard field.bitOctets != nil else { return false }
            case 2: guard field.isGeneralNames(within: budget) else { return false }
            default: return false
            }
        }
        // A point must have a name or an issuer, and not only reasons.
        return fields.contains { $0.contextTag != 1 }
    }

    /// Returns whether the children are valid names, at least one, whatever the node's own tag.
    private func isGeneralNames(within budget: WorkBudget) -> Bool {
        guard let names = children, !names.isEmpty else { return false }
        return names.decoded(within: budget) { GeneralNameForm($0, within: budget) }.count == names.count
    }
}
