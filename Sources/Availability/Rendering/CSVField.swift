internal import ForeignText

/// A field of a CSV file (RFC 4180).
package enum CSVField {
    /// Returns the beginning of untrusted text as a field, in quotation marks if necessary.
    ///
    /// A spreadsheet interprets text that starts with `=`, `+`, `-` or `@` as a formula, unless an apostrophe precedes it.
    ///
    /// - Parameter limit: The maximum number of bytes of the text.
    package static func of(_ text: String, limit: Int) -> String {
        var text = ForeignText.shown(text, limit: limit)
        // By bytes: with a combining mark a delimiter is another character of a `String`, and the same byte for a reader.
        if let first = text.utf8.first, "=+-@".utf8.contains(first) { text = "'" + text }
        guard text.utf8.contains(where: { "\",\n".utf8.contains($0) }) else { return text }
        let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return "\"" + parts.map { String(Substring($0)) }.joined(separator: "\"\"") + "\""
    }
}
