internal import LinuxSupport

/// Lines of text that are indented and wrapped to a terminal's width.
package struct TextBlock {
    package private(set) var lines: [String] = []
    private let columns: Int

    package init(columns: Int) { self.columns = columns }

    /// Adds a line as it is.
    package mutating func add(_ line: String = "") { lines.append(line) }

    /// Adds a label in a column of its own and a text that is wrapped beside it.
    package mutating func add(_ label: String, _ text: String, indent: Int, labelWidth: Int) {
        let start = String(repeating: " ", count: indent) + label.padded(to: labelWidth)
        add(text, behind: start, hanging: indent + labelWidth)
    }

    /// Adds a text that is wrapped; all lines but the first are indented.
    package mutating func add(_ text: String, hanging: Int) { add(text, behind: "", hanging: hanging) }

    /// Adds a line as it is, with its spaces; one that is too long is wrapped.
    package mutating func addFitting(_ line: String, hanging: Int) {
        guard line.displayWidth > columns else { return add(line) }
        let start = String(line.prefix { $0 == " " })
        add(line, behind: start, hanging: hanging)
    }

    private mutating func add(_ text: String, behind start: String, hanging: Int) {
        var line = start
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.displayWidth + 1 + String(word).displayWidth > columns {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += isEmpty ? String(word) : " " + word
            isEmpty = false
        }
        lines.append(line)
    }

    package var text: String { lines.joined(separator: "\n") }
}

extension String {
    /// The text with spaces after it up to `width` columns.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// The text without the spaces at its end.
    package var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The text with spaces before it up to `width` columns.
    package func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }

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
