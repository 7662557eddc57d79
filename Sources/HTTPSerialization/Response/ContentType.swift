/// The content type of a response, if it has one.
enum ContentType: Sendable, Hashable, CustomStringConvertible {
    /// There is no `Content-Type` field, or an empty one.
    case missing
    /// The field is valid.
    case known(MediaType)
    /// The field is invalid; contains its value in printable form.
    case unreadable(String)
    /// There are several fields with different types; contains both values in printable form.
    case ambiguous(String)

    /// Parses the fields of a response.
    init(of response: ReceivedResponse) {
        let values = response.values(of: "Content-Type").filter { !Snippet.trimmingSpaces($0[...]).isEmpty }
        guard let first = values.first else {
            self = .missing
            return
        }
        guard let type = MediaType(parsing: first.utf8) else {
            self = .unreadable(Snippet.quoted(first))
            return
        }
        if let other = values.dropFirst().first(where: { MediaType(parsing: $0.utf8)?.essence != type.essence }) {
            self = .ambiguous("\(Snippet.quoted(first)) and \(Snippet.quoted(other))")
        } else {
            self = .known(type)
        }
    }

    var description: String {
        switch self {
        case .missing: "no content type"
        case .known(let type): Snippet.quoted(type.essence)
        case .unreadable(let value): "\(value), which is no media type"
        case .ambiguous(let values): "two at once: \(values)"
        }
    }

    /// Returns the evidence against the content type; nil when it is accepted.
    ///
    /// A response without a content type is accepted when it has no body either.
    func objection(accepting types: Set<String>?, body: [UInt8]) -> String? {
        guard let types else { return nil }
        switch self {
        case .missing where body.isEmpty: return nil
        case .known(let type) where types.contains(type.essence): return nil
        case .known(let type) where types.contains(where: { $0.lowercased() == type.essence }): return nil
        default:
            let accepted = types.isEmpty ? "none" : types.sorted().joined(separator: ", ")
            return "expected \(accepted), got \(self)" + (body.isEmpty ? " (with an empty body)" : "")
        }
    }
}
