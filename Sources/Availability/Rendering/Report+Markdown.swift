extension Report {
    /// Returns GitHub Flavored Markdown.
    public func markdown() -> String {
        let civil = account.window.civilTime
        var lines = [
            "# \(Self.escaped(title))", "",
            "\(civil.text(account.window.start)) to \(civil.text(account.window.end))", "",
        ]
        let notes = Figures.notes(account)
        if !notes.isEmpty { lines += ["Journal: " + notes.joined(separator: "; "), ""] }
        lines += [
            "| | Available (known time) | Available (unknown as unavailable) | Outages | In all | Longest | MTBF | MTTR |"
                + (objective.map { " Budget left (\($0.percent) %) |" } ?? ""),
            "|---|--:|--:|--:|--:|--:|--:|--:|" + (objective == nil ? "" : "--:|"),
        ]
        lines += all.map(row)
        for account in detailed {
            guard let unknown = account.tally.unknownText else { continue }
            lines += ["", "\(Self.escaped(title("Unknown time", of: account))): \(unknown)"]
        }
        lines += ["", "## Time", "", "| | " + Condition.words.joined(separator: " | ") + " |"]
        lines += ["|---|--:|--:|--:|--:|--:|--:|"]
        lines += all.map { account in
            let times = account.tally.byWord.map(Figures.duration).joined(separator: " | ")
            return "| \(Self.escaped(name(account.subject, 100))) | \(times) |"
        }
        if !checked.isEmpty {
            lines += ["", "## Checks", "", "| | " + CheckColumns.heads.joined(separator: " | ") + " |"]
            lines += ["|---|--:|--:|--:|--:|--:|"]
            lines += checked.map { subject, checks in
                "| \(Self.escaped(name(subject, 100))) | \(CheckColumns(checks).cells.joined(separator: " | ")) |"
            }
        }
        if !transferred.isEmpty {
            lines += ["", "## Transfers", "", "| | | " + TransferColumns.heads.joined(separator: " | ") + " |"]
            lines += ["|---|---|--:|--:|--:|--:|"]
            lines += transferred.flatMap { subject, figures in
                TransferColumns.rows(figures).map {
                    "| \(Self.escaped(name(subject, 100))) | \($0.measure) | \($0.cells.joined(separator: " | ")) |"
                }
            }
            for sentence in deliveries { lines += ["", Self.escaped(sentence)] }
        }
        for account in detailed {
            lines += ["", "## \(Self.escaped(title("Outages", of: account)))", ""] + outageLines(of: account)
        }
        if !account.certificates.isEmpty {
            lines += ["", "## Expiring certificates", "", "| Expires | Subject | Seen by |", "|---|---|---|"]
            lines += account.certificates.map { notice in
                "| \(civil.day(of: notice.notAfter)) | \(Self.escaped(Figures.shown(notice.subject))) | "
                    + "\(Self.escaped(Figures.shown(notice.probe))) |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func outageLines(of subject: SubjectAccount) -> [String] {
        guard !subject.outages.isEmpty else { return ["None."] }
        let window = account.window
        var lines = ["| Begin | End | Duration | Segment | Code | Evidence |", "|---|---|--:|---|---|---|"]
        lines += subject.outages.map { outage in
            let begin = window.text(outage.begin) + (outage.isContinued ? " (began earlier)" : "")
            let end = window.text(outage.end) + (outage.ending.phrase.map { " (\($0))" } ?? "")
            return "| \(begin) | \(end) | \(Figures.duration(outage.duration)) | "
                + "\(outage.attribution.segment.rawValue) | \(Self.escaped(Figures.shown(outage.attribution.code))) | "
                + "\(Self.escaped(Figures.evidence(outage.attribution))) |"
        }
        if subject.outageCount > subject.outages.count {
            lines += ["", "And \(subject.outageCount - subject.outages.count) more."]
        }
        return lines
    }

    private func row(_ account: SubjectAccount) -> String {
        let tally = account.tally
        var cells = [
            Self.escaped(name(account.subject, 100)),
            tally.percentText,
            tally.lowestPercentText,
            "\(account.outageCount)",
            Figures.duration(tally.unavailable),
            account.longest.map { Figures.duration($0.duration) } ?? "",
            account.meanTimeBetweenFailures.map(Figures.duration) ?? "",
            account.meanTimeToRepair.map(Figures.duration) ?? "",
        ]
        if objective != nil { cells.append(budget(of: account).map { Figures.duration($0.left) } ?? "—") }
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// A zero-width space, which keeps what GitHub makes links of apart: URLs, mail addresses and mentions of users.
    private static let separator = "&#8203;"

    /// Escapes text for Markdown and HTML.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        // Not by characters: one of several scalars may have a mark of Markdown in it.
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "@": escaped += ("@" + separator).unicodeScalars
            case ":" where scalars[(index + 1)...].starts(with: "//".unicodeScalars):
                escaped += (":" + separator).unicodeScalars
            case "." where isWebLabel(scalars[..<index].suffix(3)): escaped += (separator + ".").unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case "&": escaped += "&amp;".unicodeScalars
            case "|", "\\", "`", "*", "_", "[", "]", "#", "!", "~": escaped += ["\\", scalar]
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// True for `www`, which makes a link of what follows.
    private static func isWebLabel(_ scalars: some Collection<Unicode.Scalar>) -> Bool {
        scalars.count == 3 && scalars.allSatisfy { $0 == "w" || $0 == "W" }
    }
}
