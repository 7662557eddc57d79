package import CheckResults

/// The media type of a `Content-Type` field (RFC 9110, section 8.3), in lower case.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype: `text/html`.
    package let essence: String
    /// The parameters in order; names are in lower case.
    package let parameters: [HeaderField]

    /// Parses a field's value; nil unless it conforms to RFC 9110.
    ///
    /// An empty parameter, as in `text/html;`, is allowed there too.
    package init?(parsing bytes: some Collection<UInt8>) {
        var scanner = FieldScanner(bytes: Array(bytes))
        scanner.skipSpace()
        guard let type = scanner.token(), scanner.skip(UInt8(ascii: "/")), let subtype = scanner.token() else {
            return nil
        }
        var parameters: [HeaderField] = []
        scanner.skipSpace()
        while scanner.skip(UInt8(ascii: ";")) {
            scanner.skipSpace()
            if let name = scanner.token() {
                guard scanner.skip(UInt8(ascii: "=")), let value = scanner.token() ?? scanner.quotedString() else {
                    return nil
                }
                parameters.append(HeaderField(name: name.lowercased(), value: value))
            }
            scanner.skipSpace()
        }
        guard scanner.isAtEnd else { return nil }
        essence = "\(type)/\(subtype)".lowercased()
        self.parameters = parameters
    }
}

/// Scans the elements of HTTP fields (RFC 9110, section 5.6).
private struct FieldScanner {
    let bytes: [UInt8]
    var offset = 0

    var isAtEnd: Bool { offset >= bytes.count }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func skipSpace() {
        while current == 0x20 || current == 0x09 { offset += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    mutating func token() -> String? {
        let start = offset
        while let current, Self.isTokenCharacter(current) { offset += 1 }
        return start == offset ? nil : String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    mutating func quotedString() -> String? {
        guard skip(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current, Self.isText(escaped) else { return nil }
                offset += 1
                text.append(escaped)
            default:
                guard Self.isText(byte) else { return nil }
                text.append(byte)
            }
        }
        return nil
    }

    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
