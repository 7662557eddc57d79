internal import ForeignText

/// A comparison of one value of a JSON body: `status.items[0].name="up"`.
///
/// Values are only compared with values of their kind: a number never equals a string, whatever digits it holds, and only
/// numbers have an order. Where the kinds differ, or the path leads nowhere, every comparison fails, `!=` included; only
/// `null` may be compared with any kind.
public struct JSONExpectation: Sendable, Hashable, CustomStringConvertible {
    /// How two values are compared.
    enum Comparison: String, Sendable, Hashable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        var isOrder: Bool { self != .equal && self != .notEqual }
    }

    /// The expectation as it was written.
    public let text: String

    let path: JSONPath
    /// What the value is compared with; nil when it must only be there.
    let condition: Condition?

    struct Condition: Sendable, Hashable {
        let comparison: Comparison
        let value: JSONValue
    }

    /// Reads a path that must be there, or a path, one of `=`, `!=`, `<`, `<=`, `>`, `>=`, and a value.
    ///
    /// The value is JSON, or else a string as it stands. `==` is taken for `=`. Spaces around the parts do not count.
    ///
    /// - Throws: ``ExpectationError`` that says where and why the text cannot be read.
    public init(parsing text: String) throws(ExpectationError) {
        self.text = text
        var cursor = JSONCursor(bytes: Array(text.utf8))
        cursor.skipSpace()
        path = try JSONPath.read(&cursor, of: text)
        cursor.skipSpace()
        guard !cursor.isAtEnd else {
            condition = nil
            return
        }
        guard let comparison = Self.readComparison(&cursor) else {
            throw .invalidPath(text, offset: cursor.offset, reason: "\(cursor.here) where a comparison was due")
        }
        let written = String(decoding: cursor.bytes[cursor.offset...], as: UTF8.self)
        let value = try Self.value(Snippet.trimmingSpaces(written[...]), in: text)
        if comparison.isOrder, case .number = value {
        } else if comparison.isOrder {
            throw .invalidValue(text, reason: "'\(comparison.rawValue)' needs a number, not \(value.kind)")
        }
        condition = Condition(comparison: comparison, value: value)
    }

    /// The expectation as it was written.
    public var description: String { text }

    private static func readComparison(_ cursor: inout JSONCursor) -> Comparison? {
        let next = cursor.byte(after: 1) == UInt8(ascii: "=")
        let comparison: Comparison
        switch (cursor.current, next) {
        case (UInt8(ascii: "="), _): comparison = .equal
        case (UInt8(ascii: "!"), true): comparison = .notEqual
        case (UInt8(ascii: "<"), let orEqual): comparison = orEqual ? .lessOrEqual : .less
        case (UInt8(ascii: ">"), let orEqual): comparison = orEqual ? .greaterOrEqual : .greater
        default: return nil
        }
        cursor.offset += next ? 2 : 1
        return comparison
    }

    private static func value(_ written: Substring, in text: String) throws(ExpectationError) -> JSONValue {
        guard let first = written.utf8.first else {
            throw .invalidValue(text, reason: "the value is missing; the empty string is written \"\"")
        }
        do throws(JSONError) {
            return try JSONParser.parse(Array(written.utf8))
        } catch {
            // What begins like JSON was meant as JSON: a forgotten quotation mark must not make another string of it.
            guard !"\"[{".utf8.contains(first) else { throw .invalidValue(text, reason: error.description) }
            return .string(ForeignText(written.utf8))
        }
    }
}
