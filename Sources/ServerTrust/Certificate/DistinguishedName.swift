internal import ForeignText
internal import SwiftASN1

/// A distinguished name, decoded for comparison and display.
struct DistinguishedName: Sendable {
    /// One attribute of a relative distinguished name.
    struct Attribute: Sendable {
        let type: ForeignText
        /// The value in UTF-8; empty when it is not a string.
        let text: ForeignText
        let encodedValue: [UInt8]
        private let comparable: ComparableName

        init(type: ForeignText, text: ForeignText, encodedValue: [UInt8]) {
            (self.type, self.text, self.encodedValue) = (type, text, encodedValue)
            comparable = ComparableName(text)
        }

        /// Compares two attributes by RFC 5280, section 7.1: ignoring case and the number of spaces.
        func matches(_ other: Attribute) -> Bool {
            type == other.type
                && (encodedValue == other.encodedValue || !text.bytes.isEmpty && comparable == other.comparable)
        }
    }

    /// The maximum number of attributes of a relative name; each is compared with each.
    static let maximumAttributes = 16
    /// The maximum number of bytes shown of a name.
    static let shownLimit = 1024

    /// The relative names in the order of the encoding.
    let relativeNames: [[Attribute]]
    /// The exact DER of the name.
    let encoded: [UInt8]

    static let empty = DistinguishedName(relativeNames: [], encoded: [0x30, 0x00])

    var isEmpty: Bool { relativeNames.isEmpty }

    /// Decodes a Name; nil when it is invalid.
    init?(_ node: ASN1Node) {
        guard let sets = node.sequence else { return nil }
        var names: [[Attribute]] = []
        for set in sets {
            guard set.identifier == .set, let members = set.children,
                (1...Self.maximumAttributes).contains(members.count)
            else { return nil }
            var attributes: [Attribute] = []
            for member in members {
                guard let parts = member.sequence, parts.count == 2, let type = parts[0].objectIdentifier else {
                    return nil
                }
                attributes.append(
                    Attribute(type: type, text: Self.text(of: parts[1]), encodedValue: [UInt8](parts[1].encodedBytes))
                )
            }
            names.append(attributes)
        }
        relativeNames = names
        encoded = [UInt8](node.encodedBytes)
    }

    private init(relativeNames: [[Attribute]], encoded: [UInt8]) {
        self.relativeNames = relativeNames
        self.encoded = encoded
    }

    /// Returns whether this name equals `other` or is below it: the rule for directory name constraints.
    func isWithin(_ other: DistinguishedName) -> Bool {
        guard other.relativeNames.count <= relativeNames.count else { return false }
        return zip(relativeNames, other.relativeNames).allSatisfy { mine, theirs in
            mine.count == theirs.count && theirs.allSatisfy { wanted in mine.contains { $0.matches(wanted) } }
        }
    }

    /// Returns the values of one attribute type.
    func values(of type: ForeignText) -> [ForeignText] {
        relativeNames.joined().filter { $0.type == type }.map(\.text)
    }

    private static func text(of node: ASN1Node) -> ForeignText {
        guard let bytes = node.primitiveBytes else { return "" }
        switch node.identifier {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString:
            return ForeignText(bytes)
        case .teletexString:
            return ForeignText(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
        case .bmpString:
            let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
                UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            }
            return ForeignText(String(decoding: units, as: UTF16.self))
        default: return ""
        }
    }
}

extension DistinguishedName: CustomStringConvertible {
    /// The start of the name in the format of RFC 4514: last relative name first.
    var description: String { shown(limit: Self.shownLimit) }

    /// Returns the first bytes of the name in the format of RFC 4514.
    func shown(limit: Int) -> String {
        var bytes: [UInt8] = []
        for attributes in relativeNames.reversed() {
            // Everything after the limit is not even formatted.
            guard bytes.count <= limit else { break }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            for (index, attribute) in attributes.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: "+")) }
                bytes += (Self.shortNames[attribute.type] ?? attribute.type).bytes.prefix(limit)
                bytes.append(UInt8(ascii: "="))
                if attribute.text.bytes.isEmpty, attribute.encodedValue.count > 2 {
                    bytes.append(UInt8(ascii: "#"))
                    bytes += Array(attribute.encodedValue.prefix(limit)).hexadecimal.utf8
                } else {
                    Self.append(attribute.text.bytes, limit: limit, to: &bytes)
                }
            }
        }
        return ForeignText.shown(bytes, limit: limit)
    }

    private static let shortNames: [ForeignText: ForeignText] = [
        "2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.9": "STREET", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.15": "businessCategory",
        "2.5.4.17": "postalCode", "2.5.4.42": "GN", "2.5.4.97": "organizationIdentifier",
        "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC", "1.2.840.113549.1.9.1": "emailAddress",
    ]

    /// The characters that RFC 4514, section 2.4, escapes with a backslash anywhere.
    private static let special = Set("\"+,;<>\\".utf8)

    private static func append(_ text: [UInt8], limit: Int, to bytes: inout [UInt8]) {
        for (index, byte) in text.prefix(limit + 1).enumerated() {
            let isEdgeSpace = byte == UInt8(ascii: " ") && (index == 0 || index == text.count - 1)
            if special.contains(byte) || isEdgeSpace || byte == UInt8(ascii: "#") && index == 0 {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(byte)
        }
    }
}

/// The text of an attribute, normalized for comparison by RFC 5280, section 7.1: case-insensitive, with single spaces.
///
/// The letters are lower-cased one by one, and the bytes are compared: linear for any text. Texts that differ only in
/// the encoding of accents are also equal if they are short: Unicode's canonical order sorts runs of combining marks,
/// in quadratic time.
struct ComparableName: Sendable, Equatable {
    /// The maximum number of bytes for canonical equivalence; RFC 5280 allows 64 characters in most attributes.
    static let maximumCanonicalLength = 256

    private let folded: ForeignText
    /// The hash of the canonical form, if it applies: computed once, and not for each comparison.
    private let canonicalHash: Int?

    init(_ text: ForeignText) {
        if text.bytes.allSatisfy({ $0 < 0x80 }) {
            folded = ForeignText(Self.folded(text.bytes))
            canonicalHash = nil
        } else {
            folded = ForeignText(Self.folded(String(decoding: text.bytes, as: UTF8.self).unicodeScalars))
            let isShort = folded.bytes.count <= Self.maximumCanonicalLength
            canonicalHash = isShort ? String(decoding: folded.bytes, as: UTF8.self).hashValue : nil
        }
    }

    static func == (one: Self, other: Self) -> Bool {
        if one.folded == other.folded { return true }
        guard let hash = one.canonicalHash, hash == other.canonicalHash else { return false }
        return String(decoding: one.folded.bytes, as: UTF8.self) == String(decoding: other.folded.bytes, as: UTF8.self)
    }

    private static func folded(_ text: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        var hasSpace = false
        for byte in text {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                hasSpace = true
                continue
            }
            if hasSpace, !folded.isEmpty { folded.append(0x20) }
            hasSpace = false
            folded.append(byte.lowercasedASCII)
        }
        return folded
    }

    /// Returns the case-folded bytes; not a string, which would be copied whenever it grows.
    private static func folded(_ text: String.UnicodeScalarView) -> [UInt8] {
        var folded: [UInt8] = []
        var hasSpace = false
        for scalar in text {
            if scalar.properties.isWhitespace {
                hasSpace = true
                continue
            }
            if hasSpace, !folded.isEmpty { folded.append(0x20) }
            hasSpace = false
            if scalar.properties.changesWhenLowercased {
                folded += scalar.properties.lowercaseMapping.utf8
            } else {
                folded += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return folded
    }
}
