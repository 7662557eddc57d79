internal import LinuxSupport

/// Lines of text that are indented and wrapped to the width of a terminal.
package struct TextBlock {
    package private(set) var lines: [String] = []
    private let columns: Int

    package init(columns: Int) { self.columns = columns }

    /// Adds a line unchanged.
    package mutating func add(_ line: String = "") { lines.append(line) }

    /// Adds a label in its own column and a wrapped text beside it.
    package mutating func add(_ label: String, _ text: String, indent: Int, labelWidth: Int) {
        let start = String(repeating: " ", count: indent) + label.padded(to: labelWidth)
        add(text, behind: start, hanging: indent + labelWidth)
    }

    /// Adds a wrapped text; all lines except the first are indented.
    package mutating func add(_ text: String, hanging: Int) { add(text, behind: "", hanging: hanging) }

    /// Adds a line with its spaces preserved; a line that is too long is wrapped.
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
    /// Returns the text, padded with spaces at the end to `width` columns.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// The text without trailing spaces.
    package var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Returns the text, padded with spaces at the start to `width` columns.
    package func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }

    /// The width of the text on a terminal, in columns, without colours.
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

    /// Returns the longest prefix of a text without colours that fits into a number of columns, without splitting a
    /// character.
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

    /// Returns the longest suffix of a text without colours that fits into a number of columns, without splitting a
    /// character.
    package func suffix(columns: Int) -> String {
        var width = 0
        var start = endIndex
        while start > startIndex {
            let before = index(before: start)
            width += String(self[before]).displayWidth
            guard width <= columns else { break }
            start = before
        }
        return String(self[start...])
    }
}
