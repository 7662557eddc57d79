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
