internal import FoundationEssentials

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
    /// Creates a dictionary; of two values with the same name the later one is used.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}

extension ParameterValue {
    /// Returns compact JSON with sorted names.
    ///
    /// - Throws: ``RequestError/notJSON(field:reason:)`` for a value that JSON cannot represent.
    func json() throws(RequestError) -> [UInt8] {
        try requireContainer { .notJSON(field: "", reason: "only an array or a dictionary can stand alone") }
        try check(field: "", depth: 1) { value, field throws(RequestError) in
            switch value {
            case .set: throw .notJSON(field: field, reason: "is a set")
            case .repeated: throw .notJSON(field: field, reason: "is given more than once")
            case .number(let number) where !number.isFinite: throw .notJSON(field: field, reason: "is not finite")
            default: break
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try [UInt8](encoder.encode(EncodableParameter(value: self)))
        } catch {
            throw .notJSON(field: "", reason: "it cannot be encoded")
        }
    }

    /// Returns a property list in XML.
    ///
    /// - Throws: ``RequestError/notPropertyList(field:reason:)`` for a value that property lists or XML cannot
    ///   represent.
    func propertyList() throws(RequestError) -> [UInt8] {
        try requireContainer { .notPropertyList(field: "", reason: "only an array or a dictionary can stand alone") }
        try check(field: "", depth: 1) { value, field throws(RequestError) in
            guard Self.isXML(field) else {
                throw .notPropertyList(field: field, reason: "is a name that XML cannot hold")
            }
            switch value {
            case .set: throw .notPropertyList(field: field, reason: "is a set")
            case .repeated: throw .notPropertyList(field: field, reason: "is given more than once")
            case .null: throw .notPropertyList(field: field, reason: "is null")
            case .string(let text) where !Self.isXML(text):
                throw .notPropertyList(field: field, reason: "holds a character that XML does not have")
            default: break
            }
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        do {
            return try [UInt8](encoder.encode(EncodableParameter(value: self)))
        } catch {
            throw .notPropertyList(field: "", reason: "it cannot be encoded")
        }
    }

    private func requireContainer(_ error: () -> RequestError) throws(RequestError) {
        switch self {
        case .array, .dictionary: break
        default: throw error()
        }
    }

    /// Calls a check for this value and all nested ones, with the names that a query would have.
    private func check(
        field: String,
        depth: Int,
        _ body: (ParameterValue, String) throws(RequestError) -> Void
    ) throws(RequestError) {
        guard depth <= Self.maximumDepth else { throw .parametersTooDeep }
        try body(self, field)
        switch self {
        case .array(let values):
            for value in values { try value.check(field: field + "[]", depth: depth + 1, body) }
        case .dictionary(let values):
            for (name, value) in Self.sorted(values) {
                try value.check(field: field.isEmpty ? name : "\(field)[\(name)]", depth: depth + 1, body)
            }
        default: break
        }
    }

    /// Returns whether XML 1.0 allows all the characters of a string.
    private static func isXML(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...0x10FFFF: true
            default: false
            }
        }
    }
}

/// A checked parameter for Foundation's encoders.
private struct EncodableParameter: Encodable {
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let value: ParameterValue

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(Self(value: value)) }
        case .dictionary(let values):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in values { try container.encode(Self(value: value), forKey: Name(stringValue: name)) }
        default:
            var container = encoder.singleValueContainer()
            switch value {
            case .string(let text): try container.encode(text)
            case .integer(let number): try container.encode(number)
            case .number(let number): try container.encode(number)
            case .bool(let flag): try container.encode(flag)
            default: try container.encodeNil()
            }
        }
    }
}
