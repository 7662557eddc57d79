internal import AgentEvents

extension Report {
    /// Returns one self-contained HTML file: with its own style and SVG, without scripts and external resources, for
    /// light and dark screens, and for A4.
    public func html() -> String {
        let civil = account.window.civilTime
        let notes = Figures.notes(account)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.html(title))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            <h1>\(Self.html(title))</h1>
            <p>\(civil.text(account.window.start)) to \(civil.text(account.window.end))</p>
            </header>
            <main>
            \(tiles)
            \(charts)
            <h2>Time</h2>
            \(timeTable)
            \(checkTable)\(transferTable)
            \(outageTables)
            \(certificateTable)
            </main>
            <footer>
            <p>Available is the time in which something beyond the first hop answers (full or partial). Unknown is the \
            time in which the agent was off, it had crashed, the machine was suspended, no probe was configured or had a \
            verdict (no probe), a probe had none (not checked), the clock was not set, or the journal has no data. The \
            sum is the window.</p>
            \(notes.isEmpty ? "" : "<p>Journal: \(Self.html(notes.joined(separator: "; "))).</p>")
            </footer>
            </body>
            </html>

            """
    }

    private var tiles: String {
        detailed.map { account in
            let name = Self.html(name(account.subject, 100))
            return (detailed.count > 1 ? "<h2>\(name)</h2>\n" : "") + tiles(of: account)
        }.joined(separator: "\n")
    }

    private func tiles(of account: SubjectAccount) -> String {
        let tally = account.tally
        var tiles = [
            ("Availability", tally.percentText, tally.lacksVerdicts ? "no probe had a verdict" : "of the known time"),
            ("Lower bound", tally.lowestPercentText, "unknown time as unavailable"),
            ("Outages", "\(account.outageCount)", "\(Figures.duration(tally.unavailable)) in all"),
        ]
        if let longest = account.longest {
            tiles.append(("Longest", Figures.duration(longest.duration), longest.attribution.segment.rawValue))
        }
        if let between = account.meanTimeBetweenFailures, let repair = account.meanTimeToRepair {
            tiles.append(("MTTR", Figures.duration(repair), "MTBF \(Figures.duration(between))"))
        }
        if let budget = budget(of: account) {
            let note = "of \(Figures.duration(budget.allowed)) (objective \(budget.objective.percent) %)"
            tiles.append(("Error budget left", Figures.duration(budget.left), note))
        }
        let cells = tiles.map { title, value, note in
            "<div><dt>\(Self.html(title))</dt><dd>\(Self.html(value))<small>\(Self.html(note))</small></dd></div>"
        }
        let unknown = tally.unknownText.map { "\n<p>Unknown time: \($0)</p>" } ?? ""
        return "<dl>\n\(cells.joined(separator: "\n"))\n</dl>\(unknown)"
    }

    private var timeTable: String {
        let head = Condition.words.map { "<th>\($0)</th>" }.joined()
        let rows = all.map { account in
            let cells = account.tally.byWord.map { "<td>\($0 > 0 ? Figures.duration($0) : "–")</td>" }.joined()
            let percent = account.tally.percentText
            return "<tr><th>\(Self.html(name(account.subject, 100)))</th>\(cells)<td>\(percent)</td></tr>"
        }
        return """
            <div class="wide"><table class="times">
            <thead><tr><th></th>\(head)<th>available</th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private var checkTable: String {
        guard !checked.isEmpty else { return "" }
        let head = CheckColumns.heads.map { "<th>\($0)</th>" }.joined()
        let rows = checked.map { subject, checks in
            let cells = CheckColumns(checks).cells.map { "<td>\($0)</td>" }.joined()
            return "<tr><th>\(Self.html(name(subject, 100)))</th>\(cells)</tr>"
        }
        return """
            <h2>Checks</h2>
            <div class="wide"><table class="times">
            <thead><tr><th></th>\(head)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private var transferTable: String {
        guard !transferred.isEmpty else { return "" }
        let head = TransferColumns.heads.map { "<th>\($0)</th>" }.joined()
        let rows = transferred.flatMap { subject, figures in
            TransferColumns.rows(figures).map { row in
                let cells = row.cells.map { "<td>\($0)</td>" }.joined()
                return "<tr><th>\(Self.html(name(subject, 100))) \(row.measure)</th>\(cells)</tr>"
            }
        }
        return """

            <h2>Transfers</h2>
            <div class="wide"><table class="times">
            <thead><tr><th></th>\(head)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>\(deliveries.map { "<p>\(Self.html($0)).</p>" }.joined())
            """
    }

    private var outageTables: String {
        detailed.map { account in
            "<h2>\(Self.html(title("Outages", of: account)))</h2>\n\(outageTable(of: account))"
        }.joined(separator: "\n")
    }

    private func outageTable(of subject: SubjectAccount) -> String {
        guard !subject.outages.isEmpty else { return "<p>None.</p>" }
        let window = account.window
        let rows = subject.outages.map { outage in
            let beginning = outage.isContinued ? " <small>(began earlier)</small>" : ""
            let ending = outage.ending.phrase.map { " <small>(\($0))</small>" } ?? ""
            let attribution = outage.attribution
            return "<tr><td>\(window.text(outage.begin))\(beginning)</td>"
                + "<td>\(window.text(outage.end))\(ending)</td>"
                + "<td class=\"number\">\(Figures.duration(outage.duration))</td><td>\(attribution.segment.rawValue)</td>"
                + "<td>\(Self.html(Figures.shown(attribution.code)))</td>"
                + "<td class=\"evidence\">\(Self.html(Figures.evidence(attribution)))</td></tr>"
        }
        let more = subject.outageCount - subject.outages.count
        return """
            <div class="wide"><table>
            <thead><tr><th>Begin</th><th>End</th><th class="number">Duration</th><th>Segment</th><th>Code</th>\
            <th>Evidence</th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>\(more > 0 ? "<p>And \(more) more.</p>" : "")
            """
    }

    private var certificateTable: String {
        guard !account.certificates.isEmpty else { return "" }
        let rows = account.certificates.map { notice in
            "<tr><td>\(account.window.civilTime.day(of: notice.notAfter))</td>"
                + "<td>\(Self.html(Figures.shown(notice.subject)))</td>"
                + "<td>\(Self.html(Figures.shown(notice.probe)))</td></tr>"
        }
        return """
            <h2>Expiring certificates</h2>
            <div class="wide"><table>
            <thead><tr><th>Expires</th><th>Subject</th><th>Seen by</th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    /// Escapes text for an element or a quoted attribute.
    static func html(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

extension Report {
    /// The style: colours that also differ in lightness, for readers with red-green colour blindness, and for grayscale
    /// printers.
    static let style = """
        :root { --ink: #1b1f24; --soft: #59636e; --paper: #fff; --line: #d1d9e0; --full: #2da44e; --partial: #9bd4a8;
          --portal: #8250df; --local: #fb8f44; --none: #b3201f; --unknown: #c8cfd6 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --line: #3d444d;
          --full: #2f8f4a; --partial: #7cc48f; --portal: #a371f7; --local: #f0883e; --none: #f85149; --unknown: #4b535d } }
        * { box-sizing: border-box }
        body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
          padding: 24px; max-width: 960px }
        h1 { font-size: 24px; margin: 0 } h2 { font-size: 17px; margin: 28px 0 8px }
        header p, dl + p, footer { color: var(--soft) } dl + p { margin: 8px 0 0; font-size: 13px }
        header p { margin: 4px 0 20px } footer { margin-top: 28px; font-size: 13px }
        dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 10px; margin: 0 }
        dl div { border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px }
        dt, small { color: var(--soft); font-size: 12px } dd { margin: 0; font-size: 20px; font-weight: 600 }
        dd small { display: block; font-weight: 400 } td small { font-size: inherit }
        table { border-collapse: collapse; width: 100%; font-size: 13px } .wide { overflow-x: auto }
        th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line);
          font-variant-numeric: tabular-nums }
        th { font-weight: 600 } td { white-space: nowrap } .number, .times td, .times thead th { text-align: right }
        .evidence { white-space: normal; overflow-wrap: anywhere; min-width: 180px; color: var(--soft) }
        svg { width: 100%; height: auto; font-size: 11px; font-variant-numeric: tabular-nums } svg text { fill: var(--ink) }
        svg .head { fill: var(--soft) }
        .full { fill: var(--full); background: var(--full) } .partial { fill: var(--partial); background: var(--partial) }
        .portal { fill: var(--portal); background: var(--portal) } .local { fill: var(--local); background: var(--local) }
        .none { fill: var(--none); background: var(--none) } .unknown { fill: var(--unknown); background: var(--unknown) }
        .legend { margin: 0 0 8px; font-size: 13px; color: var(--soft) } .legend span { margin-right: 12px }
        .legend i { display: inline-block; width: 11px; height: 11px; margin-right: 5px; border-radius: 2px }
        @page { size: A4; margin: 14mm }
        @media print { :root { --ink: #000; --soft: #444; --paper: #fff; --line: #bbb; --full: #2da44e; --partial: #9bd4a8;
          --portal: #8250df; --local: #fb8f44; --none: #b3201f; --unknown: #c8cfd6 }
          body { padding: 0; max-width: none; font-size: 11px } table { font-size: 9.5px } .wide { overflow: visible }
          dl { grid-template-columns: repeat(3, 1fr) } dd { font-size: 15px }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
          tr, dl div, svg { break-inside: avoid } thead { display: table-header-group } h2 { break-after: avoid } }
        """
}
