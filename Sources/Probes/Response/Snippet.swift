internal import ForeignText

/// Foreign text made fit for evidence: bounded, on one line, and without what looks like a secret.
package enum Snippet {
    /// The number of bytes that are shown.
    package static let limit = 80

    /// The beginning of the bytes in single quotes, on one line, as ``ForeignText/shown(_:limit:)-swift.type.method`` shows
    /// text.
    package static func quoted(_ bytes: some Collection<UInt8>) -> String { quote(bytes, hidesSecrets: true) }

    /// The beginning of the text in single quotes.
    package static func quoted(_ text: some StringProtocol) -> String { quote(text.utf8, hidesSecrets: true) }

    /// The beginning of a name that the operator wrote in single quotes: a name like `token` is no secret itself.
    package static func quoted(name: String) -> String { quote(name.utf8, hidesSecrets: false) }

    /// Whether a member of this name probably holds something that must not be shown.
    package static func isSecret(_ name: String) -> Bool {
        SecretName.isSecret(name)
    }

    /// The text without spaces and tabs at its ends.
    package static func trimmingSpaces(_ text: Substring) -> Substring {
        // Bytes are looked at, for a space with a long run of combining marks would be one character.
        let isText = { (byte: UInt8) in byte != 0x20 && byte != 0x09 }
        guard let first = text.utf8.firstIndex(where: isText), let last = text.utf8.lastIndex(where: isText) else {
            return text[text.endIndex...]
        }
        return text[first..<text.utf8.index(after: last)]
    }

    private static func quote(_ bytes: some Collection<UInt8>, hidesSecrets: Bool) -> String {
        let escaped = escaped(bytes.prefix(limit * 4))
        // What follows a word like `token` is left out altogether: where its value ends cannot be known.
        let end = hidesSecrets ? secretEnd(in: escaped.prefix(limit)) : nil
        return "'" + ForeignText.shown(escaped, limit: end ?? limit) + "'"
    }

    /// The bytes with what would end the quotation or the line in the short form of programming languages.
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

    /// The end of the first word that says that a secret follows.
    private static func secretEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        let lowered = String(
            decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 < 0x80 ? $0 : 0x2E },
            as: UTF8.self
        )
        return SecretName.textMarks.compactMap { word in
            lowered.firstRange(of: word).map { lowered.utf8.distance(from: lowered.startIndex, to: $0.upperBound) }
        }.min()
    }
}
