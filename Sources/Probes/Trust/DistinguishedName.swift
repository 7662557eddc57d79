internal import SwiftASN1

/// A distinguished name, decoded for comparison and for people.
struct DistinguishedName: Sendable, Hashable {
    /// One attribute of a relative name.
    struct Attribute: Sendable, Hashable {
        let type: String
        let text: String
        let encodedValue: [UInt8]

        /// Whether two attributes are equal by RFC 5280, section 7.1: letter case and the width of spaces do not count.
        func matches(_ other: Attribute) -> Bool {
            type == other.type
                && (encodedValue == other.encodedValue || !text.isEmpty && folded == other.folded)
        }

        private var folded: String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        }
    }

    /// The relative names in the order of the encoding.
    let relativeNames: [[Attribute]]
    /// The exact DER of the name.
    let encoded: [UInt8]

    static let empty = DistinguishedName(relativeNames: [], encoded: [0x30, 0x00])

    var isEmpty: Bool { relativeNames.isEmpty }

    /// Decodes a Name; nil when it is not one.
    init?(_ node: ASN1Node) {
        guard let sets = node.sequence else { return nil }
        var names: [[Attribute]] = []
        for set in sets {
            guard set.identifier == .set, let members = set.children, !members.isEmpty else { return nil }
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

    /// Whether this name is `other` or lies below it: the rule for directory name constraints.
    func isWithin(_ other: DistinguishedName) -> Bool {
        guard other.relativeNames.count <= relativeNames.count else { return false }
        return zip(relativeNames, other.relativeNames).allSatisfy { mine, theirs in
            mine.count == theirs.count && theirs.allSatisfy { wanted in mine.contains { $0.matches(wanted) } }
        }
    }

    /// The values of one attribute type.
    func values(of type: String) -> [String] { relativeNames.joined().filter { $0.type == type }.map(\.text) }

    private static func text(of node: ASN1Node) -> String {
        guard let bytes = node.primitiveBytes else { return "" }
        switch node.identifier {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString:
            return String(decoding: bytes, as: UTF8.self)
        case .teletexString:
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString:
            let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
                UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            }
            return String(decoding: units, as: UTF16.self)
        default: return ""
        }
    }
}

extension DistinguishedName: CustomStringConvertible {
    /// The name in the form of RFC 4514: last relative name first.
    var description: String {
        relativeNames.reversed().map { attributes in
            attributes.map { attribute in
                let name = Self.shortNames[attribute.type] ?? attribute.type
                let value =
                    attribute.text.isEmpty && attribute.encodedValue.count > 2
                    ? "#" + attribute.encodedValue.hexadecimal : Self.escaped(attribute.text)
                return "\(name)=\(value)"
            }.joined(separator: "+")
        }.joined(separator: ",")
    }

    private static let shortNames = [
        "2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.9": "STREET", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.15": "businessCategory",
        "2.5.4.17": "postalCode", "2.5.4.42": "GN", "2.5.4.97": "organizationIdentifier",
        "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC", "1.2.840.113549.1.9.1": "emailAddress",
    ]

    private static func escaped(_ text: String) -> String {
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isAtEdge = index == 0 || index == scalars.count - 1
            if "\"+,;<>\\".unicodeScalars.contains(scalar) || scalar == " " && isAtEdge || scalar == "#" && index == 0 {
                result.unicodeScalars.append("\\")
                result.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 || scalar.value == 0x7F {
                // A certificate's name reaches terminals and logs: control characters must not.
                result += "\\" + [UInt8(scalar.value)].hexadecimal
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
