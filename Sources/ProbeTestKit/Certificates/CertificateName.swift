internal import CheckResults
internal import SwiftASN1

/// A distinguished name: a list of attributes, each in a relative name of its own.
public struct CertificateName: Sendable, Hashable, CustomStringConvertible {
    /// The ASN.1 type of an attribute's text.
    public enum StringType: Sendable, Hashable, CaseIterable {
        case utf8, printable, teletex, bmp
    }

    /// One attribute of a name.
    public struct Attribute: Sendable, Hashable {
        /// The identifier of the attribute.
        public var oid: CertificateOID
        /// The text.
        public var value: String
        /// The type of the text.
        public var stringType: StringType

        /// Creates an attribute, by default a UTF8String, or for a country a PrintableString.
        public init(_ oid: CertificateOID, _ value: String, as stringType: StringType? = nil) {
            self.oid = oid
            self.value = value
            self.stringType = stringType ?? (oid == .country ? .printable : .utf8)
        }

        /// The text in DER; characters that the type does not have become invalid bytes.
        fileprivate var text: [UInt8] {
            switch stringType {
            case .utf8: DEREncoding.primitive(.utf8String, Array(value.utf8))
            case .printable: DEREncoding.primitive(.printableString, Array(value.utf8))
            case .teletex:
                DEREncoding.primitive(
                    .teletexString,
                    value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
                )
            case .bmp:
                DEREncoding.primitive(.bmpString, value.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
            }
        }
    }

    /// The attributes in the order of the encoding.
    public var attributes: [Attribute]

    /// Creates a name.
    public init(_ attributes: [Attribute] = []) { self.attributes = attributes }

    /// Returns a name with only a common name.
    public static func common(_ name: String) -> CertificateName { CertificateName([Attribute(.commonName, name)]) }

    /// A name without any attribute.
    public static let empty = CertificateName()

    /// The attributes as `oid=value`, separated by commas.
    public var description: String { attributes.map { "\($0.oid)=\($0.value)" }.joined(separator: ",") }

    /// The name in DER.
    public var der: [UInt8] {
        DEREncoding.sequence(
            of: attributes.map { attribute in
                DEREncoding.set(DEREncoding.sequence(attribute.oid.der, attribute.text))
            }
        )
    }
}

/// One name of a subject, or one subtree of a name constraint (GeneralName in RFC 5280, section 4.2.1.6).
public enum AlternativeName: Sendable, Hashable {
    /// A DNS name or, in a constraint, a domain; not validated.
    case dns(String)
    /// An IP address as 4 or 16 bytes, or in a constraint an address and its mask as 8 or 32.
    case address([UInt8])
    /// A mailbox, or in a constraint a host or domain.
    case email(String)
    /// A URI, or in a constraint a host or domain.
    case uri(String)
    /// A distinguished name.
    case directory(CertificateName)
    /// A name of another type, as complete DER.
    case raw([UInt8])

    /// Returns the IP address in `text`; other text becomes a malformed name of the text's bytes.
    public static func ip(_ text: String) -> AlternativeName {
        .address(IPAddressText.bytes(of: text) ?? Array(text.utf8))
    }

    /// Returns the network of an IPv4 or IPv6 address with a prefix length, for name constraints.
    public static func network(_ text: String, prefixLength: Int) -> AlternativeName {
        let address = IPAddressText.bytes(of: text) ?? Array(text.utf8)
        let mask = address.indices.map { index -> UInt8 in
            let bits = min(max(prefixLength - 8 * index, 0), 8)
            return UInt8(truncatingIfNeeded: 0xFF << (8 - bits))
        }
        return .address(address + mask)
    }

    /// The name in DER.
    public var der: [UInt8] {
        switch self {
        case .email(let text): DEREncoding.implicit(1, Array(text.utf8))
        case .dns(let text): DEREncoding.implicit(2, Array(text.utf8))
        case .directory(let name): DEREncoding.tagged(4, name.der)
        case .uri(let text): DEREncoding.implicit(6, Array(text.utf8))
        case .address(let bytes): DEREncoding.implicit(7, bytes)
        case .raw(let bytes): bytes
        }
    }
}
