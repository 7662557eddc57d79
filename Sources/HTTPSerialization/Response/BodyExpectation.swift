/// An expectation of a body.
public enum BodyExpectation: Sendable, Hashable {
    /// The body contains the UTF-8 bytes of a string.
    case contains(String)
    /// The body contains a match of a regular expression.
    case matches(BodyPattern)
    /// A JSON value in the body satisfies a comparison.
    case json(JSONExpectation)

    /// Parses `contains:TEXT`, `matches:PATTERN` or `json:PATH=VALUE`.
    ///
    /// - Throws: ``ExpectationError`` with the place and the reason.
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
