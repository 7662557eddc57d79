/// A JSON number, kept as the text that it came as, so that no digit is lost.
///
/// Numbers are compared by their exact value: `1`, `1.0` and `10e-1` are equal, and 2⁵³ + 1 is not 2⁵³.
public struct JSONNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// How many bytes a number may have; RFC 8259, section 6, leaves such limits to the reader.
    static let maximumBytes = 4096
    /// How many digits an exponent may have.
    static let maximumExponentDigits = 9

    /// The number as it was written.
    public let text: String

    /// Reads a number; nil for a text that is not one in JSON.
    public init?(_ text: String) {
        var cursor = JSONCursor(bytes: Array(text.utf8))
        guard let number = try? cursor.readNumber(), cursor.isAtEnd else { return nil }
        self = number
    }

    /// Takes a text that is known to be a number.
    init(unchecked text: String) { self.text = text }

    /// The value when it is written as an integer and fits.
    public var int64: Int64? { Int64(text) }

    /// The value when it is written as an integer and fits.
    public var uint64: UInt64? { UInt64(text) }

    /// The nearest floating-point number; nil when it is too large for one.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The number as it was written.
    public var description: String { text }

    /// Whether both have the same value.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.text == right.text || left.exactValue == right.exactValue
    }

    /// Whether the value of the first is smaller.
    public static func < (left: JSONNumber, right: JSONNumber) -> Bool { left.exactValue < right.exactValue }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactValue) }

    private var exactValue: ExactDecimal { ExactDecimal(number: text) }
}
