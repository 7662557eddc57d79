public import ForeignText

/// A JSON value (RFC 8259).
///
/// Names and strings are UTF-8 bytes, and compared as such: two encodings of one accented letter differ.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, exact to the last digit.
    case number(JSONNumber)
    /// A string.
    case string(ForeignText)
    /// An array.
    case array([JSONValue])
    /// An object; of members with equal names the last one counts.
    case object([ForeignText: JSONValue])

    /// The type of the value, with an article: `a number`.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
