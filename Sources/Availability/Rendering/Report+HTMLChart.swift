internal import AgentEvents

extension Report {
    private static let legend =
        "<p class=\"legend\">"
        + Condition.words.map { "<span><i class=\"\($0)\"></i>\($0)</span>" }.joined(separator: " ") + "</p>"

    /// The bars of each account by day, or by month if there are more days than fit on a page.
    var charts: String {
        detailed.map { account in
            let title = title(isMonthly ? "Months" : "Days", of: account)
            return "<h2>\(Self.html(title))</h2>\n\(Self.legend)\n\(chart(of: account))"
        }.joined(separator: "\n")
    }

    private func chart(of account: SubjectAccount) -> String {
        let bars = bars(of: account)
        let height = 18
        let heads = [(650, "available"), (720, "outages")].map { x, head in
            "<text x=\"\(x)\" y=\"12\" text-anchor=\"end\" class=\"head\">\(head)</text>"
        }
        let rows = bars.enumerated().map { row, bar in
            let y = (row + 1) * height
            let percent = bar.tally.percentText
            let down = bar.tally.unavailable > 0 ? Figures.duration(bar.tally.unavailable) : ""
            return "<text x=\"0\" y=\"\(y + 12)\">\(bar.title)</text>\(Self.rectangles(bar.tally, y: y))"
                + "<text x=\"650\" y=\"\(y + 12)\" text-anchor=\"end\">\(percent)</text>"
                + "<text x=\"720\" y=\"\(y + 12)\" text-anchor=\"end\">\(down)</text>"
        }
        let size = "viewBox=\"0 0 720 \((bars.count + 1) * height)\""
        return """
            <svg \(size) role="img" aria-label="Time of each condition, by \(isMonthly ? "month" : "day")">
            \(heads.joined())
            \(rows.joined(separator: "\n"))
            </svg>
            """
    }

    /// True if the bars are by month.
    private var isMonthly: Bool { account.window.days.count > 62 }

    private func bars(of subject: SubjectAccount) -> [(title: String, tally: Tally)] {
        var bars: [(title: String, tally: Tally)] = []
        for (day, tally) in zip(account.window.days, subject.days) {
            let title = isMonthly ? String(day.description.prefix(7)) : day.description
            if bars.last?.title == title {
                bars[bars.count - 1].tally.add(tally)
            } else {
                bars.append((title, tally))
            }
        }
        return bars
    }

    /// Draws each condition that occurred at least as wide as a hairline, so that a minute of a month is visible.
    private static func rectangles(_ tally: Tally, y: Int) -> String {
        let (left, width) = (90, 480_000)
        guard tally.total > 0 else { return "" }
        let least = 1500
        let times = tally.byWord
        var widths = times.map { time in
            time > 0 ? max(least, Int(Int128(time) * Int128(width) / Int128(tally.total))) : 0
        }
        // The widest part shrinks by the width of the hairlines.
        if let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) {
            widths[widest] += width - widths.reduce(0, +)
        }
        var x = left * 1000
        return zip(Condition.words, widths).compactMap { part, width in
            guard width > 0 else { return nil }
            defer { x += width }
            return
                "<rect class=\"\(part)\" x=\"\(decimal(x))\" y=\"\(y + 2)\" width=\"\(decimal(width))\" height=\"13\"/>"
        }.joined()
    }

    private static func decimal(_ thousandths: Int) -> String {
        "\(thousandths / 1000).\(CivilTime.digits(thousandths % 1000, 3))"
    }
}
