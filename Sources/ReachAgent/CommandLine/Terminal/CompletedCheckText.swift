internal import AgentEvents
internal import ForeignText
internal import Probes

/// The results of the agent's checks as an operator reads them: a line each, and the findings of those that failed.
struct CompletedCheckText {
    let style: TerminalStyle

    /// The lines for the results.
    func text(_ checks: [AgentEvents.CompletedCheck]) -> String {
        let names = checks.map { ProbeCountText.name($0.point.probe, $0.point.interface, $0.point.family) }
        let width = (names.map(\.displayWidth).max() ?? 0) + 2
        var block = TextBlock(columns: style.columns)
        for (check, name) in zip(checks, names) {
            let (word, colour) = Self.word(check.report.verdict)
            let start = word.padded(to: 13) + name.padded(to: width)
            var result = TextBlock(columns: style.columns)
            result.add(start, Self.result(check.report), indent: 0, labelWidth: start.displayWidth)
            for (index, line) in result.lines.enumerated() {
                block.add(index == 0 ? style.paint(word, colour) + line.dropFirst(word.count) : line)
            }
            add(check.report, to: &block)
        }
        return block.text
    }

    private static func word(_ verdict: String) -> (String, TerminalStyle.Colour) {
        switch verdict {
        case "ok": ("ok", .green)
        case "failed": ("failed", .red)
        default: ("not checked", .yellow)
        }
    }

    private static func result(_ report: AgentEvents.CheckReport) -> String {
        let time = DurationText.milliseconds(.microseconds(report.durationMicroseconds))
        guard let code = report.code else { return "in \(time)" }
        let phase = report.phase.map { " in phase \($0)" } ?? ""
        return ForeignText.line("\(code)\(phase), after \(time)")
    }

    /// The findings that decided.
    private func add(_ report: AgentEvents.CheckReport, to block: inout TextBlock) {
        for finding in report.findings where finding.code == report.code {
            guard let code = FindingCode(rawValue: finding.code) else { continue }
            let evidence = ForeignText.line("\(finding.subject): \(finding.evidence)")
            block.add("seen", evidence, indent: 2, labelWidth: 6)
            block.add("do", code.configuredRemedy, indent: 2, labelWidth: 6)
        }
    }
}
