internal import SwiftASN1

/// A distinguished name: a list of attributes, each in a relative name of its own.
public struct CertificateName: Sendable, Hashable, CustomStringConvertible {
    /// One attribute of a name.
    public struct Attribute: Sendable, Hashable {
        /// The identifier of the attribute.
        public var oid: CertificateOID
        /// The text, encoded as a UTF8String (a country as a PrintableString).
        public var value: String

        /// Creates an attribute.
        public init(_ oid: CertificateOID, _ value: String) {
            self.oid = oid
            self.value = value
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
        DERForm.sequence(
            of: attributes.map { attribute in
                let string: ASN1Identifier = attribute.oid == .country ? .printableString : .utf8String
                return DERForm.set(
                    DERForm.sequence(attribute.oid.der, DERForm.primitive(string, Array(attribute.value.utf8)))
                )
            }
        )
    }
}
