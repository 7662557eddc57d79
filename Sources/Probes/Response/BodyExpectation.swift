/// One thing that a body must hold.
public enum BodyExpectation: Sendable, Hashable {
    /// The UTF-8 bytes of a text, anywhere.
    case contains(String)
    /// A match of a regular expression, anywhere.
    case matches(BodyPattern)
    /// A JSON value that compares as expected.
    case json(JSONExpectation)

    /// Reads `contains:TEXT`, `matches:PATTERN` or `json:PATH=VALUE`.
    ///
    /// - Throws: ``ExpectationError`` that names the place and the reason.
    public init(parsing text: String) throws(ExpectationError) {
        guard let colon = text.firstIndex(of: ":") else { throw .unknownKind(text) }
        let rest = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "contains":
            guard !rest.isEmpty else { throw .empty("the text that the body must contain") }
            self = .contains(rest)
        case "matches": self = .matches(try BodyPattern(parsing: rest))
        case "json": self = .json(try JSONExpectation(parsing: rest))
        default: throw .unknownKind(text)
        }
    }
}
