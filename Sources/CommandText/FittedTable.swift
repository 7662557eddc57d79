/// A table that is never wider than the terminal, with an ellipsis in truncated cells; in a file or a pipe nothing is
/// truncated.
package struct FittedTable {
    /// A cell and its colour.
    package struct Cell: ExpressibleByStringInterpolation {
        package var text: String
        package var colour: TerminalStyle.Colour?
        /// The columns at its start that are truncated only after other cells, such as a code to search for.
        package var whole: Int
        /// The columns at its end that tell it apart from others: the text before them is truncated, in its middle;
        /// `nil` for a cell that is truncated at its end.
        package var ending: Int?

        package init(
            _ text: String?,
            _ colour: TerminalStyle.Colour? = nil,
            whole: Int = 0,
            ending: Int? = nil
        ) {
            self.text = text ?? ""
            self.colour = colour
            self.whole = whole
            self.ending = ending
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    /// A column: its title, and the alignment of its cells.
    package struct Column: ExpressibleByStringLiteral {
        package var title: String
        package var isRight = false

        package init(stringLiteral title: String) { self.title = title }

        package static func right(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.isRight = true
            return column
        }
    }

    /// The minimum width to which a column is narrowed: less of an address or a state says nothing.
    private static let narrowest = 8
    /// The maximum width up to which the starts of a column's cells are not truncated.
    private static let widestWhole = 40
    private static let gap = 2
    /// The maximum number of additional characters that are truncated so that the ellipsis follows a whole word.
    private static let nearby = 10

    private let columns: [Column]
    package private(set) var rows: [[Cell]] = []
    /// The texts below rows, by the index of the row.
    private var notes: [Int: String] = [:]

    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row.
    ///
    /// - Parameter note: A text below the row, which starts at the second column and is wrapped.
    package mutating func add(_ row: [Cell], note: String? = nil) {
        if let note, !note.isEmpty { notes[rows.count] = note }
        rows.append(row)
    }

    /// Returns the lines, starting with the titles; columns with only empty cells are left out.
    ///
    /// - Parameter wrapsLast: `true` to wrap the text in the last column instead of truncating it.
    package func lines(_ style: TerminalStyle, wrapsLast: Bool = false) -> [String] {
        let shown = columns.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
        let titles = columns.map { Cell($0.title, .bold) }
        let cells = ([titles] + rows).map { row in shown.map { row[$0] } }
        let fullWidths = shown.indices.map { column in cells.map { $0[column].text.displayWidth }.max() ?? 0 }
        let rest = wrapsLast ? Self.rest(of: cells, fullWidths, style.columns) : nil
        let widths =
            rest.map { fullWidths.dropLast() + [$0.width] }
            ?? (style.truncates ? widths(of: cells, fullWidths, style) : fullWidths)
        let indent = min((fullWidths.first ?? 0) + Self.gap, style.columns / 2)
        return cells.enumerated().flatMap { index, row in
            lines(of: row, rest, widths, shown, style) + note(below: index - 1, indent, style)
        }
    }

    /// Returns the lines of a row: one, unless the text in its last column is wrapped.
    private func lines(
        of row: [Cell],
        _ rest: (start: Int, width: Int)?,
        _ widths: [Int],
        _ shown: [Int],
        _ style: TerminalStyle
    ) -> [String] {
        guard let rest, let last = row.last else { return [line(row, widths, shown, style)] }
        var block = TextBlock(columns: rest.width)
        block.add(last.text, hanging: 0)
        return block.lines.enumerated().map { index, text in
            guard index > 0 else { return line(row.dropLast() + [Cell(text, last.colour)], widths, shown, style) }
            return String(repeating: " ", count: rest.start) + text
        }
    }

    private func note(below row: Int, _ indent: Int, _ style: TerminalStyle) -> [String] {
        guard let note = notes[row] else { return [] }
        var block = TextBlock(columns: style.columns)
        block.add("", note, indent: indent, labelWidth: 0)
        return block.lines
    }

    private func line(_ row: [Cell], _ widths: [Int], _ shown: [Int], _ style: TerminalStyle) -> String {
        var line = ""
        var length = 0
        for (index, cell) in row.enumerated() where widths[index] > 0 {
            let text = Self.cut(cell, to: widths[index], style)
            let width = text.displayWidth
            let isRight = columns[shown[index]].isRight
            let before = (length == 0 ? 0 : Self.gap) + (isRight ? widths[index] - width : 0)
            line += String(repeating: " ", count: before)
            line += cell.colour.map { text.isEmpty ? "" : style.paint(text, $0) } ?? text
            // The last cell needs no padding.
            let after = isRight || index == row.count - 1 ? 0 : widths[index] - width
            line += String(repeating: " ", count: after)
            length += before + width + after
        }
        return line.trimmingEnd
    }

    /// Returns the position and width of the last column next to the untruncated others; `nil` if its longest word
    /// would not fit.
    private static func rest(of cells: [[Cell]], _ fullWidths: [Int], _ limit: Int) -> (start: Int, width: Int)? {
        guard fullWidths.count > 1 else { return nil }
        let start = fullWidths.dropLast().reduce(0) { $0 + $1 + gap }
        let longest =
            cells.compactMap { $0.last?.text.split(separator: " ").map { String($0).displayWidth }.max() }.max() ?? 0
        return limit - start >= longest ? (start, limit - start) : nil
    }

    /// Returns widths that fit.
    ///
    /// The last columns are removed while the others cannot be narrowed enough, except the first one and those with codes,
    /// of which the last one counts as any other where they have no room together. Then the widest columns are narrowed,
    /// those with codes last.
    private func widths(of cells: [[Cell]], _ fullWidths: [Int], _ style: TerminalStyle) -> [Int] {
        let all = Array(fullWidths.indices)
        var widths = fullWidths
        let wholes = all.map { column in cells.map { $0[column].whole }.max() ?? 0 }
        let endings = all.map { column in cells.map { $0[column].ending ?? 0 }.max() ?? 0 }
        func excess(_ widths: [Int], _ left: [Int]) -> Int {
            left.reduce(Self.gap * (left.count - 1)) { $0 + widths[$1] } - style.columns
        }
        var coded = all.filter { wholes[$0] > 0 }
        var (left, minimums) = (all, widths)
        while true {
            minimums = all.map { column in
                let start = coded.contains(column) ? min(wholes[column] + style.ellipsis.count, Self.widestWhole) : 0
                return min(widths[column], max(start, endings[column] + Self.narrowest))
            }
            left = all
            while excess(minimums, left) > 0,
                let last = left.dropFirst().lastIndex(where: { !coded.contains($0) })
            {
                left.remove(at: last)
            }
            guard excess(minimums, left) > 0, coded.count > 1 else { break }
            coded.removeLast()
        }
        for column in all where !left.contains(column) { widths[column] = 0 }
        while excess(widths, left) > 0 {
            let wide = left.filter { widths[$0] > minimums[$0] }
            let others = left.filter { !coded.contains($0) && widths[$0] > Self.narrowest }
            let candidates = [wide, others, left].first { !$0.isEmpty } ?? []
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }), widths[widest] > 0 else { break }
            widths[widest] -= 1
        }
        return widths
    }

    /// Returns the text; if it is too long, it is truncated, at the end of a word if one is near, and gets an ellipsis.
    private static func cut(_ cell: Cell, to width: Int, _ style: TerminalStyle) -> String {
        let text = cell.text
        guard text.displayWidth > width else { return text }
        let ellipsis = style.ellipsis
        guard width > ellipsis.count else { return text.prefix(columns: width) }
        let room = width - ellipsis.count
        if let ending = cell.ending {
            let end = min(room, ending + max(0, room - ending) / 2)
            return text.prefix(columns: room - end) + ellipsis + text.suffix(columns: end)
        }
        let beginning = text.prefix(columns: room)
        let words = beginning.lastIndex(of: " ").map { String(beginning[..<$0]) } ?? beginning
        let isInsideWhole = (words.displayWidth..<beginning.displayWidth).contains(cell.whole - 1)
        // A part of a code cannot be searched for.
        let isCodeCut = cell.whole > beginning.displayWidth
        let kept = isCodeCut || words.count + nearby >= beginning.count && !isInsideWhole ? words : beginning
        return (kept.hasSuffix(",") ? String(kept.dropLast()) : kept) + ellipsis
    }
}
