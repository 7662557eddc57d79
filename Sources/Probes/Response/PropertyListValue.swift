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
    case string(String)
    /// A moment.
    case date(Date)
    /// Bytes.
    case data([UInt8])
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([String: PropertyListValue])
}
