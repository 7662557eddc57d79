internal import LinuxSupport

/// The columns of a terminal that a text report takes.
enum TextTable {
    /// The width of a text report.
    static let columns = 80
    /// The space between two columns of a table.
    private static let gap = 2

    /// Returns the lines of a table whose columns are as wide as their contents; a name that does not fit beside the
    /// figures has a line of its own above them.
    static func lines(_ heads: [String], _ rows: [(name: String, cells: [String])]) -> [String] {
        let widths = heads.indices.map { column in
            gap + max(heads[column].width, rows.map { $0.cells[column].width }.max() ?? 0)
        }
        let room = max(0, columns - widths.reduce(0, +))
        let label = min(room, rows.map(\.name.width).max() ?? 0)
        func line(_ name: String, _ cells: [String]) -> String {
            name.padded(to: label) + zip(cells, widths).map { $0.leftPadded(to: $1) }.joined()
        }
        return [line("", heads)]
            + rows.flatMap { name, cells in
                name.width <= label ? [line(name, cells)] : [name, line("", cells)]
            }
    }

    /// Returns lines of at most ``columns`` columns, indented from the second one on; a long word is split.
    static func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = String(text.prefix { $0 == " " })
        var width = line.width
        for word in text.dropFirst(line.count).split(separator: " ", omittingEmptySubsequences: false) {
            let isEmpty = line.allSatisfy { $0 == " " }
            if !isEmpty, width + 1 + String(word).width > columns {
                lines.append(line)
                (line, width) = (margin, indent)
            } else if !isEmpty {
                line += " "
                width += 1
            }
            for character in word {
                let character = String(character)
                if width + character.width > columns {
                    lines.append(line)
                    (line, width) = (margin, indent)
                }
                line += character
                width += character.width
            }
        }
        return lines + [line]
    }
}

extension String {
    /// The width on a terminal, in columns.
    var width: Int {
        // Almost all text is ASCII.
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return unicodeScalars.reduce(0) { $0 + CharacterWidth.of($1) }
    }

    /// Returns the text, padded at the end.
    func padded(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - width)) }

    /// Returns the text, padded at the start.
    func leftPadded(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - width)) + self }

    /// Returns the text with a mark in the place of its middle, if it is wider than a number of columns.
    func shortened(to columns: Int) -> String {
        guard width > columns else { return self }
        func part(_ characters: some Sequence<Character>, _ columns: Int) -> [Character] {
            var rest = columns
            return characters.prefix { character in
                rest -= String(character).width
                return rest >= 0
            }
        }
        let head = String(part(self, columns / 2))
        return head + "~" + String(part(reversed(), columns - 1 - head.width).reversed())
    }

    /// The text without spaces at the end.
    var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
