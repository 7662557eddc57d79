public import ForeignText

public import struct FoundationEssentials.Date

/// A value of a property list.
public enum PropertyListValue: Sendable, Hashable {
    /// `true` or `false`.
    case bool(Bool)
    /// An integer from -2⁶³ to 2⁶³ - 1.
    case integer(Int64)
    /// An integer above 2⁶³ - 1.
    case unsigned(UInt64)
    /// Any other number.
    case real(Double)
    /// A string.
    case string(ForeignText)
    /// A moment.
    case date(Date)
    /// Bytes.
    case data([UInt8])
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([PropertyListKey: PropertyListValue])
}

/// A key of a property list, which knows its hash: a binary list may refer to one long key from thousands of places.
public struct PropertyListKey: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The key as it came.
    public let text: ForeignText
    private let digest: Int

    /// A key of a text, of which every byte is looked at once.
    public init(_ text: ForeignText) {
        self.text = text
        digest = text.hashValue
    }

    /// A key of the program's own, to look for.
    public init(stringLiteral text: StaticString) { self.init(ForeignText(stringLiteral: text)) }

    /// Whether the bytes are the same; of two references to one key they are not looked at.
    public static func == (one: Self, other: Self) -> Bool { one.digest == other.digest && one.text == other.text }

    /// Hashes the hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
