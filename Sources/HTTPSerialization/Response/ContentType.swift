package import CheckResults

/// The content type of a response, if it has one.
enum ContentType: Sendable, Hashable, CustomStringConvertible {
    /// The `Content-Type` field is missing or empty.
    case missing
    /// The field has a media type.
    case known(MediaType)
    /// The field has none; contains its value in printable form.
    case unreadable(String)
    /// Several fields have different types; contains both values in printable form.
    case ambiguous(String)

    /// Parses the fields of a response.
    init(of response: ReceivedResponse) {
        let values = response.values(of: "Content-Type").filter { !Snippet.trimmingSpaces($0[...]).isEmpty }
        guard let first = values.first else {
            self = .missing
            return
        }
        guard let type = MediaType(received: first) else {
            self = .unreadable(Snippet.quoted(first))
            return
        }
        if let other = values.dropFirst().first(where: { MediaType(received: $0)?.essence != type.essence }) {
            self = .ambiguous("\(Snippet.quoted(first)) and \(Snippet.quoted(other))")
        } else {
            self = .known(type)
        }
    }

    var description: String {
        switch self {
        case .missing: "no content type"
        case .known(let type): Snippet.quoted(type.essence)
        case .unreadable(let value): "\(value), which is not a media type"
        case .ambiguous(let values): "two at once: \(values)"
        }
    }

    /// Returns the evidence against the content type; nil when it is accepted.
    ///
    /// A response without a content type is accepted if it has no body either.
    func objection(accepting types: Set<String>?, body: [UInt8]) -> String? {
        guard let types else { return nil }
        switch self {
        case .missing where body.isEmpty: return nil
        case .known(let type) where types.contains(type.essence): return nil
        case .known(let type) where types.contains(where: { $0.lowercased() == type.essence }): return nil
        default:
            let accepted = types.isEmpty ? "none" : types.sorted().joined(separator: ", ")
            return "expected \(accepted), got \(self)" + (body.isEmpty ? " (with an empty body)" : "")
        }
    }
}

/// The media type of a `Content-Type` field (RFC 9110, section 8.3), in lower case.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype: `text/html`.
    package let essence: String
    /// The parameters in order; names are in lower case.
    package let parameters: [HeaderField]

    /// Parses a field's value; nil unless it conforms to RFC 9110.
    ///
    /// RFC 9110 also allows an empty parameter, as in `text/html;`.
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

extension MediaType {
    /// Parses a server's field; nil unless a type and a subtype are all of it, or stand before its parameters.
    ///
    /// Only the type is compared, so parameters that break the rules (`charset=`, `odata`) are left out, as by the
    /// `MIMEType` that AFNetworking compares. With a comma in them the value may be of several fields, which are ambiguous.
    fileprivate init?(received value: String) {
        let bytes = value.utf8
        let rest = bytes.drop { $0 != UInt8(ascii: ";") }
        let isSingle = !rest.contains(UInt8(ascii: ","))
        guard let type = MediaType(parsing: bytes) ?? (isSingle ? MediaType(parsing: bytes[..<rest.startIndex]) : nil)
        else { return nil }
        self = type
    }

    /// Parses a media type to accept, and returns it in lower case; its parameters are never compared.
    ///
    /// A range (`application/*`, RFC 9110, section 12.5.1) is an error: it would be compared byte by byte, and never match.
    package static func accepted(parsing text: String) throws(ExpectationError) -> String {
        guard let type = MediaType(parsing: text.utf8) else {
            throw .invalidMediaType(text, reason: "expected a type and a subtype, such as application/json")
        }
        guard !type.essence.utf8.contains(UInt8(ascii: "*")) else {
            throw .invalidMediaType(text, reason: "a media range is not supported, give each type")
        }
        guard type.parameters.isEmpty else {
            throw .invalidMediaType(text, reason: "parameters are not compared, give \(type.essence) alone")
        }
        return type.essence
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
        while let current, HTTPToken.isTokenByte(current) { offset += 1 }
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
}
