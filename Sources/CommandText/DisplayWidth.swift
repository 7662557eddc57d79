internal import LinuxSupport

extension String {
    /// The columns that a terminal needs for the text; colours need none.
    package var displayWidth: Int {
        // Most texts are ASCII without colours.
        if utf8.allSatisfy({ $0 &- 0x20 < 0x5F }) { return utf8.count }
        var width = 0
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}" {
                rest = rest.drop { $0 != "m" }.dropFirst()
            } else if scalar.value >= 0xF0000, rest.starts(with: TerminalText.introducer.unicodeScalars.dropFirst()) {
                rest = rest.drop { $0 != "m" }.dropFirst()
            } else {
                width += CharacterWidth.of(scalar)
            }
        }
        return width
    }

    /// The beginning of a text without colours that has room in so many columns; no character is broken.
    package func prefix(columns: Int) -> String {
        var width = 0
        var end = startIndex
        while end < endIndex {
            width += String(self[end]).displayWidth
            guard width <= columns else { break }
            end = index(after: end)
        }
        return String(self[..<end])
    }
}
