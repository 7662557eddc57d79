/// Columns of text: the first flush left, the others, which are figures, flush right.
package struct TextTable {
    private var rows: [[String]]

    package init(_ titles: [String]) { rows = [titles] }

    package mutating func add(_ cells: [String]) { rows.append(cells) }

    package var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return "  " + line
        }.joined(separator: "\n")
    }
}
