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

/// The reason an expectation is invalid.
public enum ExpectationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The string is not a list of status codes.
    case invalidStatusCodes(String, reason: String)
    /// The string is not a media type that a response can have.
    case invalidMediaType(String, reason: String)
    /// The string does not begin with a known kind of expectation.
    case unknownKind(String)
    /// The value to search for is empty.
    case empty(String)
    /// The regular expression is invalid; the offset is in bytes.
    case invalidPattern(String, offset: Int, reason: String)
    /// The JSON path is invalid; the offset is in bytes.
    case invalidPath(String, offset: Int, reason: String)
    /// The value to compare with is invalid.
    case invalidValue(String, reason: String)

    /// The string, the error, and its place.
    public var description: String {
        switch self {
        case .invalidStatusCodes(let text, let reason):
            "\(Snippet.quoted(text)) is not a list of status codes: \(reason)"
        case .invalidMediaType(let text, let reason):
            "\(Snippet.quoted(text)) is not a media type to accept: \(reason)"
        case .unknownKind(let text):
            "\(Snippet.quoted(text)) is not an expectation: it must begin with 'contains:', 'matches:' or 'json:'"
        case .empty(let what):
            "\(what) is empty"
        case .invalidPattern(let text, let offset, let reason):
            "\(Snippet.quoted(text)) is not a regular expression: \(reason) at byte \(offset)"
        case .invalidPath(let text, let offset, let reason):
            "\(Snippet.quoted(text)) is not a JSON expectation: \(reason) at byte \(offset)"
        case .invalidValue(let text, let reason):
            "\(Snippet.quoted(text)) is not a JSON expectation: \(reason)"
        }
    }
}
