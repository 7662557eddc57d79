public import CheckResults

/// The ordered header fields of a request; every name once, ignoring case.
///
/// Fields are validated: names are tokens (RFC 9110, section 5.6.2), values contain no control characters but tabs, and
/// number and size are bounded, so no value can add a field or end the header. Copies are independent.
public struct HeaderFields: Sendable, Hashable {
    /// The maximum number of fields.
    public static let maximumCount = 128
    /// The maximum size of names and values together, in bytes.
    public static let maximumBytes = 64 * 1024

    /// The fields in the order in which they were first set.
    public private(set) var fields: [HeaderField] = []

    /// Creates an empty header.
    public init() {}

    /// Creates a header from fields; of two fields with the same name the later one is used.
    ///
    /// - Throws: ``RequestError`` for a field that must not be sent.
    public init(_ fields: [HeaderField]) throws(RequestError) {
        for field in fields { try set(field.name, field.value) }
    }

    /// Sets a field, or removes it when the value is nil.
    ///
    /// Space around the value is dropped; an existing field keeps its position.
    /// - Throws: ``RequestError`` when name, value, number or size are not allowed; the header is unchanged.
    public mutating func set(_ name: String, _ value: String?) throws(RequestError) {
        guard let value else { return remove(name) }
        guard name.utf8.count <= 256, HTTPToken.isToken(name) else { throw .invalidFieldName(name) }
        guard value.utf8.count <= Self.maximumBytes else { throw .headerTooLarge }
        guard value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidFieldValue(name: name)
        }
        let field = HeaderField(name: name, value: Self.trimmed(value))
        var changed = fields
        if let index = index(of: name) { changed[index] = field } else { changed.append(field) }
        let bytes = changed.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard changed.count <= Self.maximumCount, bytes <= Self.maximumBytes else { throw .headerTooLarge }
        fields = changed
    }

    /// Removes a field if it exists.
    public mutating func remove(_ name: String) {
        if let index = index(of: name) { fields.remove(at: index) }
    }

    /// Returns the value of a field; nil when there is none.
    public func value(of name: String) -> String? { index(of: name).map { fields[$0].value } }

    private func index(of name: String) -> Int? {
        let wanted = name.lowercased()
        return fields.firstIndex { $0.name.lowercased() == wanted }
    }

    private static func trimmed(_ value: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let rest = Array(value.utf8.drop(while: isSpace))
        let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}

/// Tokens (RFC 9110, section 5.6.2), the grammar of methods and field names.
enum HTTPToken {
    /// Returns whether a string is a token; the empty string is not.
    static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }

    /// Returns whether a byte is allowed in a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
