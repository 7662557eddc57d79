extension JSONValue {
    /// Reads a JSON text (RFC 8259) in UTF-8; see ``JSONError`` for what is wrong with others.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing bytes: [UInt8], removingNulls: Bool = false) throws(JSONError) {
        self = try JSONParser.parse(bytes, removesNulls: removingNulls)
    }

    /// The value as evidence shows it: a scalar itself, of a container how much it holds.
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
