internal import ForeignText
internal import Probes

/// Findings, each with what to do about it.
struct FindingText {
    let style: TerminalStyle
    /// True for a check of the configuration, whose keys are named instead of options.
    var isConfigured = false

    func add(_ findings: [Finding], to block: inout TextBlock) {
        for finding in findings {
            block.add()
            block.add(headline(finding))
            block.add("", ForeignText.line(finding.code.sentence), indent: 2, labelWidth: 0)
            block.add("seen", ForeignText.line("\(finding.subject): \(finding.evidence)"), indent: 2, labelWidth: 6)
            if finding.severity != .note {
                let remedy = isConfigured ? finding.code.configuredRemedy : finding.code.remedy
                block.add("do", remedy, indent: 2, labelWidth: 6)
            }
        }
    }

    private func headline(_ finding: Finding) -> String {
        let (word, colour): (String, TerminalStyle.Colour) =
            switch finding.severity {
            case .refusal: ("error", .red)
            case .warning: ("warning", .yellow)
            case .note: ("note", .dim)
            }
        return style.paint(word, colour) + " " + style.paint(finding.code.rawValue, .bold)
    }
}
