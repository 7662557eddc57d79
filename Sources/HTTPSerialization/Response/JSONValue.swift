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

extension JSONValue {
    /// Parses a JSON text (RFC 8259) in UTF-8.
    ///
    /// - Throws: ``JSONError`` when the text is invalid.
    public init(parsing bytes: [UInt8], removingNulls: Bool = false) throws(JSONError) {
        self = try JSONParser.parse(bytes, removesNulls: removingNulls)
    }

    /// The value for evidence: a scalar itself, of a container its number of elements.
    var evidence: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let number): number.text.utf8.count <= Snippet.limit ? number.text : Snippet.quoted(number.text)
        case .string(let text): "the string \(Snippet.quoted(text.bytes))"
        case .array(let elements): "an array of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }
}

/// A JSON number, kept as its source text, so that no digit is lost.
///
/// Numbers are compared by their exact value: `1`, `1.0` and `10e-1` are equal, and 2⁵³ + 1 is not 2⁵³.
public struct JSONNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The maximum size of a number, in bytes; RFC 8259, section 6, leaves such limits to the parser.
    static let maximumBytes = 4096
    /// The maximum number of digits of an exponent.
    static let maximumExponentDigits = 9

    /// The source of the number.
    public let text: String

    /// Parses a number; nil for a string that is not a JSON number.
    public init?(_ text: String) {
        var cursor = JSONCursor(bytes: Array(text.utf8))
        guard let number = try? cursor.readNumber(), cursor.isAtEnd else { return nil }
        self = number
    }

    /// Creates a number from a string that is known to be one.
    init(unchecked text: String) { self.text = text }

    /// The value if it is an integer in range.
    public var int64: Int64? { Int64(text) }

    /// The value if it is an integer in range.
    public var uint64: UInt64? { UInt64(text) }

    /// The nearest floating-point number; nil when it overflows.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The source of the number.
    public var description: String { text }

    /// Compares the exact values.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.text == right.text || left.exactValue == right.exactValue
    }

    /// Compares the exact values.
    public static func < (left: JSONNumber, right: JSONNumber) -> Bool { left.exactValue < right.exactValue }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactValue) }

    private var exactValue: ExactDecimal { ExactDecimal(number: text) }
}

/// A decimal number of any size: 0.DIGITS times ten to the power of `exponent`.
private struct ExactDecimal: Hashable, Comparable {
    /// `true` if the number is negative.
    private let isNegative: Bool
    /// The digits 0 to 9, of which neither the first nor the last is 0; empty for zero.
    private let digits: [UInt8]
    private let exponent: Int

    /// Parses a string that is known to be a JSON number.
    init(number text: String) {
        var digits: [UInt8] = []
        var integerDigits = 0
        var isFraction = false
        var exponent = 0
        scan: for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = Int(text.dropFirst(index + 1)) ?? 0
                break scan
            case 0x30...0x39:
                digits.append(byte - 0x30)
                if !isFraction { integerDigits += 1 }
            default: break
            }
        }
        let leadingZeros = digits.prefix { $0 == 0 }.count
        digits.removeFirst(leadingZeros)
        while digits.last == 0 { digits.removeLast() }
        self.digits = digits
        isNegative = text.utf8.first == UInt8(ascii: "-") && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent + integerDigits - leadingZeros
    }

    static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    /// Returns whether the absolute value is smaller.
    private func isSmaller(than other: ExactDecimal) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        guard exponent == other.exponent else { return exponent < other.exponent }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

/// The reason bytes are not valid JSON, and the place.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, as a clause.
    public let reason: String
    /// The offset of the error, in bytes.
    public let offset: Int

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The error and its place.
    public var description: String { "\(reason) at byte \(offset)" }
}
