internal import CheckResults
internal import ForeignText

/// Sanitizes untrusted text for evidence: bounded, on one line, and without anything that looks like a secret.
package enum Snippet {
    /// The maximum number of bytes shown.
    package static let limit = 80

    /// Returns the start of the bytes in single quotes, on one line, escaped as in
    /// `ForeignText.shown(_:limit:)-swift.type.method`.
    package static func quoted(_ bytes: some Collection<UInt8>) -> String { quote(bytes, hidesSecrets: true) }

    /// Returns the start of the text in single quotes.
    package static func quoted(_ text: some StringProtocol) -> String { quote(text.utf8, hidesSecrets: true) }

    /// Returns the start of an operator's name in single quotes: a name like `token` is not itself a secret.
    package static func quoted(name: String) -> String { quote(name.utf8, hidesSecrets: false) }

    /// Returns the text without spaces and tabs at its ends.
    package static func trimmingSpaces(_ text: Substring) -> Substring {
        // By bytes, because a space with a long run of combining marks would be one character.
        let isText = { (byte: UInt8) in byte != 0x20 && byte != 0x09 }
        guard let first = text.utf8.firstIndex(where: isText), let last = text.utf8.lastIndex(where: isText) else {
            return text[text.endIndex...]
        }
        return text[first..<text.utf8.index(after: last)]
    }

    private static func quote(_ bytes: some Collection<UInt8>, hidesSecrets: Bool) -> String {
        let escaped = escaped(bytes.prefix(limit * 4))
        // Everything after a word like `token` is omitted: the end of its value is unknown.
        let end = hidesSecrets ? secretEnd(in: escaped.prefix(limit)) : nil
        return "'" + ForeignText.shown(escaped, limit: end ?? limit) + "'"
    }

    /// Returns the bytes with quotes, backslashes and line breaks escaped as in programming languages.
    private static func escaped(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var escaped: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x0A: escaped += "\\n".utf8
            case 0x0D: escaped += "\\r".utf8
            case 0x09: escaped += "\\t".utf8
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
            default: escaped.append(byte)
            }
        }
        return escaped
    }

    /// Returns the end of the first word that announces a secret.
    private static func secretEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        let lowered = bytes.map(\.lowercasedASCII)
        return lowered.indices.first { end in
            SecretName.textMarks.contains { lowered[...end].hasSuffix($0) }
        }
        .map { $0 + 1 }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in
            // Most words differ in their last letter.
            last == letters.last && count >= letters.count && suffix(letters.count).elementsEqual(letters)
        }
    }
}
