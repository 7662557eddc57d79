/// Columns of text: the first flush left, the others, which are figures, flush right.
struct TextTable {
    private var rows: [[String]]

    init(_ titles: [String]) { rows = [titles] }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    var text: String {
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

/// Figures as text.
enum Figure {
    /// With as many digits behind the point; a dash where nothing could be measured.
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard digits > 0, abs(scaled) < 1e15 else { return "\(Int64(exactly: scaled) ?? 0)" }
        let all = Int64(abs(scaled))
        let fraction = String(all % Int64(scale))
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(all / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
