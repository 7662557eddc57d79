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
    }

    /// The maximum number of attributes of a relative name; real ones have one or two.
    static let maximumAttributes = 16
    /// The maximum number of bytes shown of a name.
    static let shownLimit = 1024

    /// The relative names in the order of the encoding.
    let relativeNames: [[Attribute]]
    /// The exact DER of the name.
    let encoded: [UInt8]
    /// The name as bytes that are equal for names that RFC 5280, section 7.1, calls equal.
    ///
    /// Case, the number of spaces and the type of string do not count. Each relative name's bytes contain their own
    /// length, so that the bytes of a name begin with those of a name above it, and with no others.
    let normalized: [UInt8]

    static let empty = DistinguishedName(relativeNames: [], encoded: [0x30, 0x00], normalized: [])

    var isEmpty: Bool { relativeNames.isEmpty }

    /// Decodes a Name; nil when it is invalid, and once the budget is exceeded.
    init?(_ node: ASN1Node, within budget: WorkBudget) {
        guard let sets = node.sequence else { return nil }
        var names: [[Attribute]] = []
        var normalized: [UInt8] = []
        for set in sets {
            guard budget.allows(set.steps), set.identifier == .set, let members = set.children,
                (1...Self.maximumAttributes).contains(members.count)
            else { return nil }
            var attributes: [Attribute] = []
            var keys: [[UInt8]] = []
            for member in members {
                guard let parts = member.sequence, parts.count == 2, let type = parts[0].objectIdentifier else {
                    return nil
                }
                let text = Self.text(of: parts[1])
                let encodedValue = [UInt8](parts[1].encodedBytes)
                attributes.append(Attribute(type: type, text: text?.shown ?? "", encodedValue: encodedValue))
                // Repairing invalid bytes would make different names equal.
                let comparable = text?.isValid == true ? text?.shown : nil
                // An identifier has digits and dots only, so the sign after it is where it ends.
                var key = type.bytes
                key.append(UInt8(ascii: comparable == nil ? "#" : "="))
                key += comparable.map { ComparableName($0).bytes } ?? encodedValue
                keys.append(key)
            }
            names.append(attributes)
            // DER sorts a set by the encodings, which depend on case and type.
            keys.sort { $0.lexicographicallyPrecedes($1) }
            normalized.append(UInt8(keys.count))
            for key in keys {
                withUnsafeBytes(of: UInt64(key.count).bigEndian) { normalized += $0 }
                normalized += key
            }
        }
        self.init(relativeNames: names, encoded: [UInt8](node.encodedBytes), normalized: normalized)
    }

    private init(relativeNames: [[Attribute]], encoded: [UInt8], normalized: [UInt8]) {
        (self.relativeNames, self.encoded, self.normalized) = (relativeNames, encoded, normalized)
    }

    /// Returns whether both names are the same by RFC 5280, section 7.1.
    func matches(_ other: DistinguishedName) -> Bool { normalized == other.normalized }

    /// Returns whether this name equals `other` or is below it: the rule for directory name constraints.
    func isWithin(_ other: DistinguishedName) -> Bool { normalized.starts(with: other.normalized) }

    /// Returns the values of one attribute type.
    func values(of type: ForeignText) -> [ForeignText] {
        relativeNames.joined().filter { $0.type == type }.map(\.text)
    }

    /// Returns a string in UTF-8, and whether its type allows it; nil when the value is not a string.
    private static func text(of node: ASN1Node) -> (shown: ForeignText, isValid: Bool)? {
        guard let bytes = node.primitiveBytes else { return nil }
        switch node.identifier {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString:
            return (ForeignText(bytes), String(validating: bytes, as: UTF8.self) != nil)
        case .teletexString:
            return (ForeignText(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))), true)
        case .bmpString:
            let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
                UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            }
            let valid = bytes.count.isMultiple(of: 2) ? String(validating: units, as: UTF16.self) : nil
            return (ForeignText(valid ?? String(decoding: units, as: UTF16.self)), valid != nil)
        default: return nil
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
struct ComparableName: Sendable, Hashable {
    /// The maximum number of bytes for canonical equivalence; RFC 5280 allows 64 characters in most attributes.
    static let maximumCanonicalLength = 256

    let bytes: [UInt8]

    init(_ text: ForeignText) {
        guard text.bytes.contains(where: { $0 >= 0x80 }) else {
            bytes = Self.folded(text.bytes)
            return
        }
        let folded = Self.folded(String(decoding: text.bytes, as: UTF8.self).unicodeScalars)
        bytes =
            folded.count <= Self.maximumCanonicalLength
            ? String(decoding: folded, as: UTF8.self)._nfcCodeUnits : folded
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
