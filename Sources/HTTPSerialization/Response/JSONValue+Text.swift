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
