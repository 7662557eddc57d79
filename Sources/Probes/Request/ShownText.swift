/// Text from elsewhere as an error message may show it: without control characters, and not too long.
enum ShownText {
    /// At most `limit` characters of a text, with everything escaped that could act on a terminal.
    static func of(_ text: String, limit: Int = 100) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default:
                shown.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.dropFirst(limit).isEmpty ? shown : shown + "…"
    }
}
