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
    /// A date.
    case date(Date)
    /// A byte string.
    case data([UInt8])
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([PropertyListKey: PropertyListValue])
}

/// A key of a property list, with a precomputed hash: a binary list may refer to one long key from thousands of places.
public struct PropertyListKey: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text of the key.
    public let text: ForeignText
    private let digest: Int

    /// Creates a key, hashing its bytes once.
    public init(_ text: ForeignText) {
        self.text = text
        digest = text.hashValue
    }

    /// Creates a key from a literal, for lookups.
    public init(stringLiteral text: StaticString) { self.init(ForeignText(stringLiteral: text)) }

    /// Compares the bytes, but not those of two references to one key.
    public static func == (one: Self, other: Self) -> Bool { one.digest == other.digest && one.text == other.text }

    /// Hashes the precomputed hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

extension PropertyListValue {
    /// Parses a property list in XML or binary format; the old text format is rejected, because any word would be
    /// valid.
    ///
    /// - Parameter budget: Charged for bytes and values; nil for a list from the operator.
    /// - Throws: ``PropertyListError``.
    package init(parsing bytes: [UInt8], budget: WorkBudget? = nil) throws(PropertyListError) {
        if bytes.starts(with: BinaryPropertyList.signature) {
            self = try BinaryPropertyList.parse(bytes, budget: budget)
            return
        }
        do throws(XMLError) {
            self = try XMLPropertyList.parse(bytes, budget: budget)
        } catch {
            throw PropertyListError(error.description)
        }
    }
}

/// The reason bytes are not a property list.
package struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
