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

    /// The text with spaces before it up to `width` columns.
    package func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }
}

/// Columns for a terminal: as wide as their longest cell, the last one as it comes.
package struct TextTable {
    private var rows: [[String]]

    package init(header: [String]) { rows = [header] }

    package mutating func add(_ row: [String]) { rows.append(row) }

    package var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].displayWidth : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let isLast = column == row.count - 1
                line += isLast ? cell : cell.padded(to: widths[column] + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
