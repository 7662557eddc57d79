internal import EventEnvelope
internal import EventSchema
internal import ForeignText
internal import Probes

/// A check's report as an operator reads it: the verdict and its cause first, then a waterfall of each hop
/// with its certificates, then what else was found.
struct CheckText {
    let style: TerminalStyle

    func text(_ report: CheckReport) -> String {
        var block = TextBlock(columns: style.columns)
        let findings = FindingText(style: style)
        block.add(headline(report))
        findings.add(report.findings.filter { $0.severity == .refusal }, to: &block)
        let waterfall = Waterfall(style: style, total: report.duration)
        for (number, hop) in report.hops.enumerated() {
            block.add()
            if report.hops.count > 1 {
                block.add(style.paint("\(number + 1)", .bold) + " " + ForeignText.line(hop.url))
            }
            for line in waterfall.lines(hop) { block.add(line) }
            for attempt in hop.attempts where attempt.failure != nil { block.add(failed(attempt)) }
            if let location = location(hop) { block.add("             redirects to \(location)") }
            if let trust = hop.tls?.trust {
                CertificateText(style: style, date: trust.date).add(trust, to: &block)
            }
        }
        findings.add(report.findings.filter { $0.severity != .refusal }, to: &block)
        return block.text
    }

    private func headline(_ report: CheckReport) -> String {
        let time = DurationText.milliseconds(report.duration)
        let target = ForeignText.line(report.target)
        switch report.verdict {
        case .ok:
            return style.paint("ok", .green) + "  \(target)  in \(time)"
        case .failed(let code, let phase):
            return style.paint("failed", .red)
                + "  \(target)  \(code.rawValue) in phase \(Waterfall.name(phase)), after \(time)"
        case .unknown(let code, let phase):
            let word = style.paint("unknown", .yellow)
            return "\(word)  \(target)  \(code.rawValue) in phase \(Waterfall.name(phase)), after \(time)"
        }
    }

    private func failed(_ attempt: ConnectAttempt) -> String {
        let reason = attempt.failure.map { "\($0.code.rawValue), \($0.evidence)" } ?? ""
        let time = DurationText.milliseconds(attempt.duration)
        return "             " + ForeignText.shown("\(attempt.address) failed after \(time): \(reason)", limit: 160)
    }

    private func location(_ hop: CheckHop) -> String? {
        guard let response = hop.response, (300..<400).contains(response.status) else { return nil }
        return response.headers.first { $0.isNamed("location") }.map { ForeignText.shown($0.value, limit: 160) }
    }
}
