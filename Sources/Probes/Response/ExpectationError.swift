/// What is wrong with an expectation as it was written.
public enum ExpectationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is no list of status codes.
    case invalidStatusCodes(String, reason: String)
    /// The text does not begin with the kind of an expectation.
    case unknownKind(String)
    /// There is nothing to look for.
    case empty(String)
    /// The regular expression cannot be compiled; the offset counts bytes.
    case invalidPattern(String, offset: Int, reason: String)
    /// The JSON path cannot be read; the offset counts bytes.
    case invalidPath(String, offset: Int, reason: String)
    /// What a JSON value is compared with cannot be read.
    case invalidValue(String, reason: String)

    /// The text, what is wrong with it, and where.
    public var description: String {
        switch self {
        case .invalidStatusCodes(let text, let reason):
            "\(Snippet.quoted(text)) is not a list of status codes: \(reason)"
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
