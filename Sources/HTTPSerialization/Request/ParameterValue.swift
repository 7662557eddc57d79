/// A parameter of a request, for a query, a form, JSON or a property list.
public indirect enum ParameterValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A number.
    case number(Double)
    /// A Boolean; `1` or `0` in a query, as in AFNetworking.
    case bool(Bool)
    /// Null; a query has the name alone.
    case null
    /// An array.
    case array([ParameterValue])
    /// A dictionary, written in the order of the names' bytes.
    case dictionary([String: ParameterValue])
    /// A set; a query repeats the name.
    case set(Set<ParameterValue>)
    /// The values of a repeated name, in order and with duplicates; only for a query or a form.
    case repeated([ParameterValue])

    /// The maximum nesting depth of values.
    public static let maximumDepth = 64

    /// Creates a string from UTF-16 code units.
    ///
    /// - Throws: ``RequestError/invalidText(offset:)`` for an unpaired surrogate; nothing is replaced.
    public static func string(utf16 units: [UInt16]) throws(RequestError) -> ParameterValue {
        var index = units.startIndex
        while index < units.endIndex {
            if UTF16.isLeadSurrogate(units[index]) {
                guard index + 1 < units.endIndex, UTF16.isTrailSurrogate(units[index + 1]) else {
                    throw .invalidText(offset: index)
                }
                index += 2
            } else if UTF16.isTrailSurrogate(units[index]) {
                throw .invalidText(offset: index)
            } else {
                index += 1
            }
        }
        return .string(String(decoding: units, as: UTF16.self))
    }

    /// The value in a query, which also orders the members of a set.
    var text: String {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .number(let value): Int64(exactly: value).map { String($0) } ?? String(value)
        case .bool(let value): value ? "1" : "0"
        case .null: ""
        case .array(let values), .repeated(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .dictionary(let values):
            "{\(Self.sorted(values).map { "\($0.key):\($0.value.text)" }.joined(separator: ","))}"
        case .set(let values): "(\(Self.sorted(values).map(\.text).joined(separator: ",")))"
        }
    }

    /// Returns the entries in the order of their names' bytes.
    static func sorted(_ values: [String: ParameterValue]) -> [(key: String, value: ParameterValue)] {
        values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Returns the members in the order of their text's bytes.
    static func sorted(_ values: Set<ParameterValue>) -> [ParameterValue] {
        values.map { ($0.text, $0) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map(\.1)
    }
}

extension ParameterValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates null.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
    /// Creates a dictionary; of two values with one name the later counts.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
