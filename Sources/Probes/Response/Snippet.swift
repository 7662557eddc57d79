/// Foreign text made fit for evidence: bounded, on one line, and without what looks like a secret.
package enum Snippet {
    /// How many characters are shown.
    package static let limit = 80

    private static let secretWords = [
        "password", "passwd", "secret", "token", "authorization", "api_key", "apikey", "api-key", "bearer", "cookie",
        "session", "private_key", "credential",
    ]

    /// The beginning of the bytes in single quotes; what is not UTF-8 and every control character is escaped.
    package static func quoted(_ bytes: some Collection<UInt8>) -> String {
        let beginning = Array(bytes.prefix(limit * 4))
        return quote(escaped(beginning), isCut: beginning.count < bytes.count)
    }

    /// The beginning of the text in single quotes.
    package static func quoted(_ text: some StringProtocol) -> String { quoted(Array(text.utf8.prefix(limit * 4 + 1))) }

    /// The beginning of a name that the operator wrote in single quotes: a name like `token` is no secret itself.
    package static func quoted(name: String) -> String {
        let beginning = Array(name.utf8.prefix(limit * 4))
        return quote(escaped(beginning), isCut: beginning.count < name.utf8.count, hidesSecrets: false)
    }

    /// Whether a member of this name probably holds something that must not be shown.
    package static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return secretWords.contains { name.contains($0) }
    }

    /// The text without spaces and tabs at its ends.
    package static func trimmingSpaces(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    private static func quote(_ characters: [String], isCut: Bool, hidesSecrets: Bool = true) -> String {
        var text = characters.prefix(limit).joined()
        var isCut = isCut || characters.count > limit
        // What follows a word like `token` is left out altogether: where its value ends cannot be known.
        let lowered = text.lowercased()
        let ends = secretWords.compactMap { lowered.firstRange(of: $0)?.upperBound }
        if hidesSecrets, let end = ends.min(), end < lowered.endIndex {
            text = String(text.prefix(lowered.distance(from: lowered.startIndex, to: end)))
            isCut = true
        }
        return "'" + text + (isCut ? "…'" : "'")
    }

    private static func escaped(_ bytes: [UInt8]) -> [String] {
        var pieces: [String] = []
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while pieces.count <= limit {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): pieces.append(escaped(scalar))
            case .emptyInput: return pieces
            case .error: pieces.append("\u{FFFD}")
            }
        }
        return pieces
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case "'": return "\\'"
        case "\\": return "\\\\"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
            return "\\u{" + String(scalar.value, radix: 16) + "}"
        default: return String(Character(scalar))
        }
    }
}
