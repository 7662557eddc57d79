internal import FoundationEssentials

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
