internal import ForeignText
internal import FoundationEssentials
internal import SwiftASN1

/// A certificate revocation list (RFC 5280, section 5).
public struct CertificateRevocationList: Sendable, Hashable {
    /// The list in DER.
    public let der: [UInt8]
    let content: RevocationListContent

    /// Decodes a list in DER.
    ///
    /// A list that RFC 5280 allows but that is not supported here (a delta list, or an indirect one) is not an error: the
    /// evaluation does not use it, and says so.
    ///
    /// - Throws: ``SecurityPolicyError/undecodableRevocationList(source:reason:)``.
    public init(der: [UInt8]) throws(SecurityPolicyError) {
        do {
            content = try RevocationListContent(der: der)
        } catch {
            throw .undecodableRevocationList(source: "the list", reason: error.description)
        }
        self.der = der
    }

    /// Reads the lists of a file: one in DER, or any number in PEM.
    ///
    /// - Throws: ``SecurityPolicyError`` if the file cannot be read, contains no list, or contains an invalid one.
    public static func lists(at path: String) throws(SecurityPolicyError) -> [CertificateRevocationList] {
        try lists(decoding: try CertificateFile.bytes(of: path), source: path)
    }

    /// Decodes one list in DER, or any number in PEM.
    ///
    /// - Parameters:
    ///   - bytes: The list or the lists.
    ///   - source: The name of the source in errors.
    /// - Throws: ``SecurityPolicyError`` if there is no list, or an invalid one.
    public static func lists(
        decoding bytes: [UInt8],
        source: String = "the text"
    ) throws(SecurityPolicyError) -> [CertificateRevocationList] {
        var encoded: [[UInt8]] = [bytes]
        do throws(PEMBlocks.Flaw) {
            if let blocks = try PEMBlocks.blocks(in: bytes, named: ["X509 CRL"]) { encoded = blocks.map(\.der) }
        } catch {
            throw .undecodableRevocationList(source: "\(source), block \(error.block)", reason: error.description)
        }
        guard !encoded.isEmpty else {
            throw .undecodableRevocationList(source: source, reason: "it holds no block named X509 CRL")
        }
        var lists: [CertificateRevocationList] = []
        for der in encoded {
            do throws(SecurityPolicyError) {
                lists.append(try CertificateRevocationList(der: der))
            } catch .undecodableRevocationList(_, let reason) {
                throw .undecodableRevocationList(source: source, reason: reason)
            }
        }
        return lists
    }

    /// Compares the bytes of the lists.
    public static func == (left: Self, right: Self) -> Bool { left.der == right.der }

    /// Hashes the bytes of the list.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// A decoded revocation list; a class, because a list may be large and is shared.
final class RevocationListContent: Sendable {
    /// The reason a list cannot be decoded.
    struct Flaw: Error, CustomStringConvertible {
        let description: String
    }

    /// The date and the reason of a revocation.
    struct Entry: Sendable, Hashable {
        let date: Date
        let reason: String?
    }

    let signedBytes: [UInt8]
    let issuer: DistinguishedName
    let thisUpdate: CertificateTime
    /// The date of the next list; nil when unknown.
    let nextUpdate: CertificateTime?
    let entries: [[UInt8]: Entry]
    let signatureAlgorithm: SignatureAlgorithm
    let signature: [UInt8]
    /// `true` for a list of version 1, which conforming issuers do not issue.
    let isFirstVersion: Bool
    /// The certificates that the list covers.
    let scope: RevocationScope
    /// The reason that not even the entries of the list may be used; nil when they may.
    let obstacle: String?

    init(der: [UInt8]) throws(Flaw) {
        guard let outer = ASN1Node.parsing(der)?.sequence, outer.count == 3, let fields = outer[0].sequence,
            let signature = outer[2].wholeBits
        else { throw Flaw(description: "it is not a signed list") }
        var rest = fields[...]
        var isSecondVersion = false
        if let version = rest.first?.integerBytes {
            guard version == [1] else { throw Flaw(description: "its version is not 2") }
            isSecondVersion = true
            rest.removeFirst()
        }
        guard let algorithm = rest.popFirst(),
            let issuer = rest.popFirst().flatMap({ DistinguishedName($0, within: .unlimited()) }),
            let thisUpdate = rest.popFirst().flatMap(CertificateTime.init)
        else { throw Flaw(description: "its issuer or its date cannot be decoded") }
        signedBytes = [UInt8](outer[0].encodedBytes)
        self.issuer = issuer
        self.thisUpdate = thisUpdate
        signatureAlgorithm = SignatureAlgorithm(outer[1])
        self.signature = signature
        nextUpdate = rest.first.flatMap(CertificateTime.init)
        if nextUpdate != nil { rest.removeFirst() }

        // One obstacle is enough to reject the list, and each entry may have one.
        var obstacle: String?
        if algorithm.encodedBytes != outer[1].encodedBytes {
            obstacle = "it names two different signature algorithms"
        }
        isFirstVersion = !isSecondVersion
        var entries: [[UInt8]: Entry] = [:]
        if let list = rest.first?.sequence {
            rest.removeFirst()
            for node in list {
                guard let item = Self.entry(node) else { throw Flaw(description: "an entry cannot be decoded") }
                entries[item.serial] = item.entry
                obstacle = obstacle ?? item.obstacle
            }
        }
        self.entries = entries
        let extensions = try rest.popFirst().map { (wrapper) throws(Flaw) in try ListExtensions(wrapper) }
        guard rest.isEmpty else { throw Flaw(description: "it has a field of an unknown kind") }
        scope = extensions?.scope ?? .everything
        self.obstacle = obstacle ?? extensions?.obstacle
    }

    private static func entry(_ node: ASN1Node) -> (serial: [UInt8], entry: Entry, obstacle: String?)? {
        guard let parts = node.sequence, (2...3).contains(parts.count), let serial = parts[0].integerBytes,
            let time = CertificateTime(parts[1])
        else { return nil }
        var reason: String?
        var obstacle: String?
        if parts.count == 3 {
            guard let items = parts[2].sequence else { return nil }
            for item in items {
                guard let item = CertificateExtensions.item(item) else { return nil }
                if item.identifier == "2.5.29.21" {
                    let code = ASN1Node.parsing(item.value).flatMap {
                        $0.identifier == .enumerated ? $0.primitiveBytes : nil
                    }
                    reason = code?.first.flatMap { reasons[Int($0)] }
                } else if item.isCritical {
                    obstacle = "an entry's critical extension \(item.identifier) is not understood"
                }
            }
        }
        return (serial, Entry(date: time.date, reason: reason), obstacle)
    }

    private static let reasons = [
        1: "key compromise", 2: "authority compromise", 3: "affiliation changed", 4: "superseded",
        5: "cessation of operation", 6: "on hold", 9: "privilege withdrawn", 10: "attribute authority compromise",
    ]
}

/// The extensions of a list, as far as they matter.
private struct ListExtensions {
    private(set) var scope: RevocationScope?
    /// The first reason that the list may not be used; nil when it may.
    private(set) var obstacle: String?

    init(_ wrapper: ASN1Node) throws(RevocationListContent.Flaw) {
        guard wrapper.contextTag == 0, let items = wrapper.children?.first?.sequence else {
            throw RevocationListContent.Flaw(description: "its extensions cannot be decoded")
        }
        for item in items {
            guard let item = CertificateExtensions.item(item) else {
                throw RevocationListContent.Flaw(description: "an extension cannot be decoded")
            }
            switch item.identifier {
            // Understood, and not needed: the signature identifies the issuer's key.
            case CertificateExtensions.Identifier.authorityKeyIdentifier: break
            case "2.5.29.27": obstacle = obstacle ?? "it is a delta list"
            case "2.5.29.28":
                guard scope == nil, let decoded = RevocationScope(item.value) else {
                    obstacle = obstacle ?? "its issuing distribution point cannot be decoded"
                    continue
                }
                scope = decoded
                obstacle = obstacle ?? decoded.obstacle
            default:
                if item.isCritical {
                    obstacle = obstacle ?? "its critical extension \(item.identifier) is not understood"
                }
            }
        }
    }
}
