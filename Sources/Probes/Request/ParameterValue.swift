/// A parameter of a request: what a query, a form, JSON or a property list is made of.
public indirect enum ParameterValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number.
    case number(Double)
    /// True or false; a query shows `1` or `0`, as AFNetworking does.
    case bool(Bool)
    /// Nothing; a query shows the name alone.
    case null
    /// Values in order.
    case array([ParameterValue])
    /// Values by name; written in the order of the names' bytes.
    case dictionary([String: ParameterValue])
    /// Values without order; a query repeats the name.
    case set(Set<ParameterValue>)
    /// The values of a name that is given several times, in order and with duplicates; only for a query or a form.
    case repeated([ParameterValue])

    /// How deeply values may be nested to be written.
    public static let maximumDepth = 64

    /// Text from UTF-16 code units.
    ///
    /// - Throws: ``RequestError/invalidText(offset:)`` for a surrogate without its other half; nothing is replaced.
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

    /// The value as a query shows it, and as members of a set are ordered.
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

    /// The entries in the order of their names' bytes.
    static func sorted(_ values: [String: ParameterValue]) -> [(key: String, value: ParameterValue)] {
        values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The members in the order of their texts' bytes.
    static func sorted(_ values: Set<ParameterValue>) -> [ParameterValue] {
        values.map { ($0.text, $0) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map(\.1)
    }
}

extension ParameterValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Nothing.
    public init(nilLiteral: ()) { self = .null }
    /// Values in order.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
    /// Values by name; of two with one name the later counts.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
