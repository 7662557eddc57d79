internal import ForeignText

/// A comparison of one value of a JSON body: `status.items[0].name="up"`.
///
/// Values are compared only with values of the same type: a number never equals a string, whatever its digits, and only
/// numbers are ordered. If the types differ, or the path has no value, every comparison fails, `!=` included; only
/// `null` can be compared with any type.
public struct JSONExpectation: Sendable, Hashable, CustomStringConvertible {
    /// The comparison operators.
    enum Comparison: String, Sendable, Hashable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        var isOrder: Bool { self != .equal && self != .notEqual }
    }

    /// The source of the expectation.
    public let text: String

    let path: JSONPath
    /// The operator and the expected value; nil when the value must only exist.
    let condition: Condition?

    struct Condition: Sendable, Hashable {
        let comparison: Comparison
        let value: JSONValue
    }

    /// Parses a path that must exist, or a path, one of `=`, `!=`, `<`, `<=`, `>`, `>=`, and a value.
    ///
    /// The value is JSON, or else a literal string. `==` means `=`. Spaces around the parts are ignored.
    ///
    /// - Throws: ``ExpectationError`` with the place and the reason.
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

    /// The source of the expectation.
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
            // A value that begins like JSON must be JSON: a missing quotation mark must not turn it into a different
            // string.
            guard !"\"[{".utf8.contains(first) else { throw .invalidValue(text, reason: error.description) }
            return .string(ForeignText(written.utf8))
        }
    }
}

extension JSONExpectation {
    /// Returns the evidence against the expectation; nil when the body satisfies it.
    func objection(in body: JSONValue) -> String? {
        let value: JSONValue
        do throws(JSONPath.Missing) {
            value = try path.value(in: body)
        } catch {
            return error.evidence
        }
        guard let condition, !condition.holds(for: value) else { return nil }
        let expected = path.isSecret ? "\(condition.value.kind) (not shown)" : condition.value.evidence
        let got = path.isSecret ? "\(value.kind) (not shown)" : value.evidence
        return "expected \(condition.comparison.rawValue) \(expected), got \(got)"
    }

    /// The path for evidence.
    var subject: String { "JSON body, " + Snippet.quoted(name: JSONPath.text(of: path.steps)) }
}

extension JSONExpectation.Condition {
    /// Returns whether a value of the body satisfies the comparison.
    func holds(for body: JSONValue) -> Bool {
        switch (body, value) {
        case (.null, _), (_, .null):
            switch comparison {
            case .equal: body == value
            case .notEqual: body != value
            default: false
            }
        case (.number(let left), .number(let right)): holds(left, right)
        case (.string, .string), (.bool, .bool), (.array, .array), (.object, .object): holds(isEqual: body == value)
        default: false
        }
    }

    private func holds(_ left: JSONNumber, _ right: JSONNumber) -> Bool {
        switch comparison {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    private func holds(isEqual: Bool) -> Bool {
        switch comparison {
        case .equal: isEqual
        case .notEqual: !isEqual
        default: false
        }
    }
}
