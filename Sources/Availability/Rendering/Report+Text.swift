internal import AgentEvents

extension Report {
    /// Returns the text report for a terminal, with at most 80 columns.
    ///
    /// - Parameters:
    ///   - hasColour: True to write escape sequences for colours.
    ///   - introducer: The start of such a sequence, for a caller that escapes the text before writing it.
    public func text(hasColour: Bool = false, introducer: String = "\u{1B}[") -> String {
        var lines = heading
        for account in detailed {
            lines.append("")
            if detailed.count > 1 { lines.append(name(account.subject, TextTable.columns)) }
            lines += figures(of: account)
        }
        lines += ["", "TIME"] + timeLines
        if !checked.isEmpty { lines += ["", "CHECKS"] + checkLines }
        if !transferred.isEmpty { lines += ["", "TRANSFERS"] + transferLines }
        if account.window.days.count > 1 {
            for account in detailed {
                lines += ["", title("DAYS", of: account)] + dayLines(of: account, hasColour ? introducer : nil)
            }
            lines.append("            = available  # outage  . unknown")
        }
        for account in detailed { lines += ["", title("OUTAGES", of: account)] + outageLines(of: account) }
        if !account.certificates.isEmpty { lines += ["", "EXPIRING CERTIFICATES"] + certificateLines }
        return lines.map { $0.trimmingTrailingSpaces }.joined(separator: "\n") + "\n"
    }

    private var heading: [String] {
        let civil = account.window.civilTime
        var lines = [
            title,
            "\(civil.text(account.window.start)) to \(civil.text(account.window.end))",
        ]
        let notes = Figures.notes(account)
        if !notes.isEmpty { lines += TextTable.wrapped("Journal: " + notes.joined(separator: "; "), indent: 9) }
        return lines
    }

    private func figures(of account: SubjectAccount) -> [String] {
        let tally = account.tally
        var lines =
            tally.lacksVerdicts
            ? ["availability   unknown: no probe had a verdict; only losses of the path are known"]
            : [
                "availability   \(tally.percentText) of the known time",
                "               \(tally.lowestPercentText) with unknown time as unavailable",
            ]
        if let unknown = tally.unknownText { lines += TextTable.wrapped("unknown        \(unknown)", indent: 15) }
        var outages = "outages        \(account.outageCount)"
        if let longest = account.longest {
            outages += ", \(Figures.duration(tally.unavailable)) in all, longest \(Figures.duration(longest.duration))"
        }
        lines.append(outages)
        if let between = account.meanTimeBetweenFailures, let repair = account.meanTimeToRepair {
            lines.append("MTBF, MTTR     \(Figures.duration(between)), \(Figures.duration(repair))")
        }
        if let budget = budget(of: account) {
            let left =
                budget.left >= 0
                ? "\(Figures.duration(budget.left)) left" : "exceeded by \(Figures.duration(-budget.left))"
            lines.append(
                "error budget   \(left) of \(Figures.duration(budget.allowed)) (objective \(budget.objective.percent) %)"
            )
        }
        return lines
    }

    private var timeLines: [String] {
        TextTable.lines(
            Condition.words + ["avail %"],
            all.map { account in
                let times = account.tally.byWord.map { $0 > 0 ? Figures.duration($0) : "-" }
                return (name(account.subject, TextTable.columns), times + [account.tally.percent ?? "-"])
            }
        )
    }

    private var checkLines: [String] {
        TextTable.lines(
            CheckColumns.heads,
            checked.map { (name($0.subject, TextTable.columns), CheckColumns($0.checks).cells) }
        )
    }

    private var transferLines: [String] {
        let rows = transferred.flatMap { subject, figures in
            TransferColumns.rows(figures).map { row in
                let measure = row.measure.padded(to: TransferColumns.measureWidth)
                return (name: name(subject, TextTable.columns), cells: [measure] + row.cells)
            }
        }
        return TextTable.lines([""] + TransferColumns.heads, rows)
            + deliveries.flatMap { TextTable.wrapped($0, indent: 2) }
    }

    /// Returns a line for each day, with a bar of 40 parts: 48 half-hours and the figures would exceed a terminal's
    /// width.
    private func dayLines(of subject: SubjectAccount, _ introducer: String?) -> [String] {
        zip(account.window.days, subject.days).map { day, tally in
            let bar = Self.bar(tally, width: 40)
            let painted = introducer.map { Self.paint(bar, $0) } ?? bar
            let percent = tally.percent.map { "\($0) %" } ?? "-"
            let down = tally.unavailable > 0 ? Figures.duration(tally.unavailable) : ""
            return "\(day)  \(painted) \(percent.leftPadded(to: 10))  \(down)"
        }
    }

    /// Returns a bar in which each part shows its worst condition, so that an outage of a minute is visible.
    static func bar(_ tally: Tally, width: Int) -> String {
        guard tally.total > 0 else { return String(repeating: ".", count: width) }
        func cells(_ time: Int64) -> Int {
            guard time > 0 else { return 0 }
            return max(1, Int(Int128(time) * Int128(width) / Int128(tally.total)))
        }
        var outage = cells(tally.unavailable)
        let unknown = min(cells(tally.unknown), width - outage)
        // Rounding leaves cells over, which are not available where nothing was.
        if tally.available == 0 { outage = width - unknown }
        let available = width - outage - unknown
        return String(repeating: "=", count: available) + String(repeating: "#", count: outage)
            + String(repeating: ".", count: unknown)
    }

    private static func paint(_ bar: String, _ introducer: String) -> String {
        let colours: [(Character, String)] = [("=", "32"), ("#", "31"), (".", "2")]
        return colours.map { mark, colour in
            let part = String(bar.filter { $0 == mark })
            return part.isEmpty ? "" : "\(introducer)\(colour)m\(part)\(introducer)0m"
        }.joined()
    }

    private func outageLines(of subject: SubjectAccount) -> [String] {
        guard !subject.outages.isEmpty else { return ["none"] }
        var lines = subject.outages.flatMap { outage in
            let begin = (outage.isContinued ? "<" : " ") + account.window.text(outage.begin)
            let segment = outage.attribution.segment.rawValue.padded(to: 13)
            let start = "\(begin)  \(Figures.duration(outage.duration).leftPadded(to: 7))  \(segment)"
            let code = Figures.shown(outage.attribution.code) + (outage.ending.phrase.map { ", \($0)" } ?? "")
            return TextTable.wrapped(start + code, indent: start.width)
                + TextTable.wrapped("    " + Figures.evidence(outage.attribution), indent: 4)
        }
        if subject.outageCount > subject.outages.count {
            lines.append("and \(subject.outageCount - subject.outages.count) more")
        }
        if subject.outages.first?.isContinued == true { lines.append("< began before the time of the report") }
        return lines
    }

    private var certificateLines: [String] {
        account.certificates.flatMap { notice in
            let day = account.window.civilTime.day(of: notice.notAfter)
            return TextTable.wrapped(
                "\(day)  \(Figures.shown(notice.subject)), seen by \(Figures.shown(notice.probe, limit: 40))",
                indent: 12
            )
        }
    }
}
