public import CheckResults
internal import ForeignText
internal import FoundationEssentials
internal import Nettle
internal import SwiftASN1

/// A leniently decoded certificate.
///
/// The X509 module rejects what it cannot verify (RSA keys below 2048 bits, foreign curves, RSA-PSS) without a precise
/// reason; a monitor has to name the fault. So every field is decoded on its own, and a decoding error becomes a flaw.
/// An immutable class, because chains and anchors share it.
final class DecodedCertificate: Sendable {
    /// The maximum size of a certificate, in bytes; the TLS library accepts 100 KB for a whole chain.
    static let maximumSize = 1 << 17

    let der: [UInt8]
    /// The exact DER of the signed part.
    let signedBytes: [UInt8]
    /// The version: 1, 2 or 3.
    let version: Int
    let serialNumber: [UInt8]
    let issuer: DistinguishedName
    let subject: DistinguishedName
    let notBefore: CertificateTime?
    let notAfter: CertificateTime?
    let publicKey: SubjectPublicKey?
    let signatureAlgorithm: SignatureAlgorithm?
    let signature: [UInt8]
    /// `true` if the signed and the unsigned copy of the signature algorithm are identical.
    let namesOneSignatureAlgorithm: Bool
    let extensions: CertificateExtensions
    /// The hash of the public key; nil when there is none.
    let publicKeyPin: PublicKeyPin?
    /// The names to which constraints apply: the subject, its e-mail addresses, and the alternative names.
    let constrainedNames: [GeneralNameForm]
    /// The certificate's name in findings.
    let label: String
    /// The decoding errors.
    let flaws: [String]

    /// Decodes a certificate; errors become flaws.
    ///
    /// - Parameter budget: Spent while decoding; once it is exceeded, the rest is left out, and its absence is no flaw of
    ///   the certificate.
    init(der: [UInt8], within budget: WorkBudget) {
        self.der = der
        var flaws: [String] = []
        let isTooLarge = der.count > Self.maximumSize
        let outer = isTooLarge ? [] : ASN1Node.parsing(der, within: budget)?.sequence ?? []
        if isTooLarge {
            flaws.append("it has \(der.count) bytes, and at most \(Self.maximumSize) are decoded")
        } else if outer.isEmpty {
            let hasTooMany = ASN1Node.valueCount(in: der) > ASN1Node.maximumValues
            flaws.append(
                hasTooMany ? "it has more than \(ASN1Node.maximumValues) DER values" : "it is not one DER sequence"
            )
        }
        if !outer.isEmpty, outer.count != 3 { flaws.append("it has \(outer.count) parts instead of 3") }
        var fields = (outer.first?.sequence ?? [])[...]
        signedBytes = outer.first.map { [UInt8]($0.encodedBytes) } ?? []

        version = Self.version(&fields, &flaws)
        serialNumber = fields.popFirst()?.integerBytes ?? Self.missing("serial number", [], &flaws)
        let innerAlgorithm = fields.popFirst()
        let name = { (node: ASN1Node) in DistinguishedName(node, within: budget) }
        issuer = fields.popFirst().flatMap(name) ?? Self.missing("issuer", .empty, &flaws)
        let validity = fields.popFirst()?.sequence ?? []
        notBefore = validity.first.flatMap(CertificateTime.init) ?? Self.missing("start of validity", nil, &flaws)
        notAfter =
            validity.dropFirst().first.flatMap(CertificateTime.init) ?? Self.missing("end of validity", nil, &flaws)
        if validity.count > 2 { flaws.append("its validity has \(validity.count) parts instead of 2") }
        subject = fields.popFirst().flatMap(name) ?? Self.missing("subject", .empty, &flaws)
        let key = fields.popFirst().map(SubjectPublicKey.init)
        if key == nil || key?.kind == .undecodable { flaws.append("its public key cannot be decoded") }
        publicKey = key

        let areFieldsKnown = fields.allSatisfy { (1...3).contains($0.contextTag ?? 0) }
        if !areFieldsKnown { flaws.append("it has a field of an unknown kind") }
        if areFieldsKnown, !fields.haveAscendingTags { flaws.append("its fields are not in the order of their tags") }
        extensions = CertificateExtensions(fields.first { $0.contextTag == 3 }, within: budget)
        flaws += extensions.flaws

        let outerAlgorithm = outer.count > 1 ? outer[1] : nil
        signatureAlgorithm = (outerAlgorithm ?? innerAlgorithm).map(SignatureAlgorithm.init)
        namesOneSignatureAlgorithm = innerAlgorithm?.encodedBytes == outerAlgorithm?.encodedBytes
        signature = (outer.count > 2 ? outer[2].wholeBits : nil) ?? Self.missing("signature", [], &flaws)
        self.flaws = flaws
        publicKeyPin = key.map { PublicKeyPin(subjectPublicKeyInfo: $0.encoded) }
        constrainedNames = Self.constrainedNames(subject, extensions.subjectAlternativeNames)
        label = Self.label(subject, extensions.subjectAlternativeNames, serialNumber)
    }

    private static func constrainedNames(
        _ subject: DistinguishedName,
        _ alternatives: [GeneralNameForm]
    ) -> [GeneralNameForm] {
        var names = alternatives
        if !subject.isEmpty { names.append(.directory(subject)) }
        if !alternatives.contains(where: { $0.tag == 1 }) {
            names += subject.values(of: "1.2.840.113549.1.9.1").map { .email($0) }
        }
        return names
    }

    private static func label(
        _ subject: DistinguishedName,
        _ alternatives: [GeneralNameForm],
        _ serialNumber: [UInt8]
    ) -> String {
        if !subject.isEmpty { return subject.shown(limit: ForeignText.shownLimit) }
        if let name = alternatives.first { return name.description }
        return serialNumber.isEmpty
            ? "undecodable certificate" : "serial number \(serialNumber.shownHexadecimal(limit: 20))"
    }

    private static func version(_ fields: inout ArraySlice<ASN1Node>, _ flaws: inout [String]) -> Int {
        guard let first = fields.first, first.contextTag == 0 else { return 1 }
        fields.removeFirst()
        guard let inner = first.children, inner.count == 1, let bytes = inner[0].integerBytes, bytes.count == 1,
            bytes[0] <= 2
        else { return missing("version", 1, &flaws) }
        return Int(bytes[0]) + 1
    }

    private static func missing<Value>(_ name: String, _ value: Value, _ flaws: inout [String]) -> Value {
        flaws.append("its \(name) cannot be decoded")
        return value
    }

    /// `true` if the certificate can be part of a path.
    var isUsable: Bool { flaws.isEmpty }

    var isSelfIssued: Bool { issuer.matches(subject) }

    /// `true` for a root of version 1, which has no extensions to say that it is an authority.
    var isFirstVersionRoot: Bool { version == 1 && extensions.list.isEmpty && isSelfIssued }

    /// Verifies that the holder of this certificate's key signed `child`.
    func verifiesSignature(of child: DecodedCertificate) -> SignatureVerdict {
        guard let publicKey, let algorithm = child.signatureAlgorithm else { return .unsupported }
        return publicKey.verify(child.signature, of: child.signedBytes, with: algorithm)
    }
}

extension CertificateDescription {
    /// The maximum number of alternative names in a description.
    private static let maximumNames = 1000

    /// Describes the decodable parts of a DER certificate.
    public init(der: [UInt8]) { self.init(DecodedCertificate(der: der, within: .unlimited())) }

    init(_ certificate: DecodedCertificate) {
        self.init(
            subject: certificate.subject.description,
            subjectAlternativeNames: certificate.extensions.subjectAlternativeNames.prefix(Self.maximumNames)
                .map(\.description),
            issuer: certificate.issuer.description,
            notValidBefore: certificate.notBefore?.date,
            notValidAfter: certificate.notAfter?.date,
            serialNumber: certificate.serialNumber.shownHexadecimal(),
            sha256: SHA2.sha256.hash(certificate.der).hexadecimal,
            publicKeyPin: certificate.publicKeyPin,
            key: certificate.publicKey?.words ?? "",
            signature: certificate.signatureAlgorithm?.words ?? "",
            isCertificateAuthority: certificate.extensions.basicConstraints?.isAuthority ?? false
        )
    }
}
