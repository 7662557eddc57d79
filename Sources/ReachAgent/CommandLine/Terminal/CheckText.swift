internal import AgentEvents
internal import ForeignText
internal import Probes
internal import Reachability

/// A check's report as an operator reads it: the verdict and its cause first, then a waterfall of each hop
/// with its certificates, then what else was found.
struct CheckText {
    let style: TerminalStyle
    /// The thresholds at which an expiring certificate is a warning, as for the agent's probes.
    var expiry = ExpiryPolicy()
    /// The evidence of a portal check; `nil` for other checks.
    var portal: PortalEvidence?
    /// The fault of this machine; `nil` if none is known.
    var path: PathHint?
    /// True for a probe of the configuration, whose keys are named instead of options.
    var isConfigured = false
    /// The options of the command that select the egress, as words for a shell.
    var egress: [String] = []

    func text(_ report: Probes.CheckReport) -> String {
        var block = TextBlock(columns: style.columns)
        let findings = FindingText(style: style, isConfigured: isConfigured)
        block.addFitting(headline(report), hanging: 2)
        // A portal's answer meets no expectation, which is not the target's fault.
        let isPortal = portal?.verdict == .portal
        findings.add(isPortal ? [] : report.findings.filter { $0.severity == .refusal }, to: &block)
        addExpiring(report, to: &block)
        addPathHint(to: &block)
        addPortalHint(report, to: &block)
        let waterfall = Waterfall(style: style, total: report.duration)
        for (number, hop) in report.hops.enumerated() {
            block.add()
            if report.hops.count > 1 {
                block.add(style.paint("\(number + 1)", .bold) + " " + ForeignText.line(hop.url))
            }
            for line in waterfall.lines(hop) { block.add(line) }
            for record in records(hop) { block.add("", record, indent: 13, labelWidth: 0) }
            for attempt in hop.attempts where attempt.failure != nil {
                block.add("", failed(attempt), indent: 13, labelWidth: 0)
            }
            if let location = location(hop) { block.add("", "redirects to \(location)", indent: 13, labelWidth: 0) }
            if let trust = hop.tls?.trust {
                CertificateText(style: style, date: trust.date).add(trust, to: &block)
            }
        }
        addTransfer(report, to: &block)
        findings.add(report.findings.filter { $0.severity != .refusal }, to: &block)
        return block.text
    }

    /// The measurements of a transfer; 'reachagent measure' has a row for each.
    private func addTransfer(_ report: Probes.CheckReport, to block: inout TextBlock) {
        let parts = report.transfer.map(MeasureLine.parts) ?? []
        guard !parts.isEmpty else { return }
        block.add()
        for part in parts { block.add(part.name, part.text, indent: 2, labelWidth: 17) }
    }

    private func headline(_ report: Probes.CheckReport) -> String {
        let time = DurationText.milliseconds(report.duration)
        let target = ForeignText.line(report.target)
        if portal?.verdict == .portal {
            let code = portal?.code?.rawValue ?? FindingCode.portalContent.rawValue
            return style.paint("portal", .yellow) + "  \(target)  \(code), after \(time)"
        }
        switch report.verdict {
        case .ok:
            return style.paint("ok", .green) + "  \(target)  in \(time)"
        case .failed(let code, let phase):
            return style.paint("failed", .red)
                + "  \(target)  \(code.rawValue) in phase \(Waterfall.name(phase)), after \(time)"
        case .unknown(let code, let phase):
            let word = style.paint("not checked", .yellow)
            return "\(word)  \(target)  \(code.rawValue) in phase \(Waterfall.name(phase)), after \(time)"
        }
    }

    /// The certificates that the agent would report as expiring.
    private func addExpiring(_ report: Probes.CheckReport, to block: inout TextBlock) {
        // An expired certificate that failed the check is an error already.
        guard !report.findings.contains(where: { $0.code == .tlsExpired && $0.severity == .refusal }) else { return }
        for expiring in report.expiringCertificates(expiry) {
            let days = expiring.daysLeft
            let time = days < 0 ? "has expired" : "expires in \(days) \(days == 1 ? "day" : "days")"
            block.add()
            block.add(style.paint("warning", .yellow) + " " + style.paint("certificate \(time)", .bold))
            block.add("seen", ForeignText.line(expiring.certificate.subject), indent: 2, labelWidth: 6)
            block.add("do", FindingCode.tlsExpired.remedy, indent: 2, labelWidth: 6)
        }
    }

    /// The fault of this machine, beside which the silence of the target says nothing.
    private func addPathHint(to block: inout TextBlock) {
        guard let path else { return }
        block.add()
        block.add(style.paint("note", .dim) + " " + style.paint("this machine has no usable path to the target", .bold))
        block.add("seen", ForeignText.line(path.evidence), indent: 2, labelWidth: 6)
        block.add("do", "reachagent diagnose", indent: 2, labelWidth: 6)
    }

    /// The login page of a portal; or, of another check, the sign that there may be one.
    private func addPortalHint(_ report: Probes.CheckReport, to block: inout TextBlock) {
        if let portal, portal.verdict == .portal {
            block.add()
            if let code = portal.code { block.add("", code.sentence, indent: 2, labelWidth: 0) }
            if let url = portal.url { block.add("do", "Log in at \(ForeignText.line(url))", indent: 2, labelWidth: 6) }
        } else if portal == nil, let hint = PortalHint(report) {
            block.add()
            block.add(style.paint("note", .dim) + " " + style.paint("this looks like a captive portal", .bold))
            block.add("seen", ForeignText.line(hint.evidence), indent: 2, labelWidth: 6)
            block.add(
                "do",
                ForeignText.line((["reachagent probe --portal"] + egress + [hint.word]).joined(separator: " ")),
                indent: 2,
                labelWidth: 6
            )
        }
    }

    /// The records of a name server's answer; its first line is the note of the phase.
    private func records(_ hop: Probes.CheckHop) -> [String] {
        guard let lines = hop.answer?.split(whereSeparator: \.isNewline), lines.count > 1 else { return [] }
        return lines.dropFirst().map { ForeignText.shown(String($0), limit: 512) }
    }

    private func failed(_ attempt: ConnectAttempt) -> String {
        let reason = attempt.failure.map { "\($0.code.rawValue), \($0.evidence)" } ?? ""
        let time = DurationText.milliseconds(attempt.duration)
        return ForeignText.shown("\(attempt.address) failed after \(time): \(reason)", limit: 160)
    }

    private func location(_ hop: Probes.CheckHop) -> String? {
        guard let response = hop.response, (300..<400).contains(response.status) else { return nil }
        return response.headers.first { $0.isNamed("location") }.map { ForeignText.shown($0.value, limit: 160) }
    }
}

/// The results of the agent's checks as an operator reads them: a line each, and the findings of those that failed.
struct CompletedCheckText {
    /// The minimum width of the column of results: most codes, and a phase below them.
    private static let resultWidth = 24

    let style: TerminalStyle

    /// The lines for the results.
    func text(_ results: [CompletedCheckResult]) -> String {
        let names = results.map(\.check.point).map { ProbeCountText.name($0.probe, $0.interface, $0.family) }
        let width = (names.map(\.displayWidth).max() ?? 0) + 2
        var block = TextBlock(columns: style.columns)
        for (result, name) in zip(results, names) {
            let (report, portal) = (result.check.report, result.portal)
            let (word, colour) = portal.map(Self.word) ?? Self.word(report.verdict)
            let start = word.padded(to: 13) + name.padded(to: width)
            var row = TextBlock(columns: style.columns)
            // Beside a long name there may be no room for a result, which then starts below it.
            let hasRoom = start.displayWidth + Self.resultWidth <= style.columns
            if hasRoom {
                row.add(start, Self.result(report, portal), indent: 0, labelWidth: start.displayWidth)
            } else {
                row.add(start.trimmingEnd)
                row.add("", Self.result(report, portal), indent: 2, labelWidth: 0)
            }
            for (index, line) in row.lines.enumerated() {
                block.add(index == 0 ? style.paint(word, colour) + line.dropFirst(word.count) : line)
            }
            if let portal { add(portal, to: &block) } else { add(result.check, to: &block) }
        }
        return block.text
    }

    private static func word(_ portal: AgentStatus.ProbeStatus) -> (String, TerminalStyle.Colour) {
        portal.verdict == "portal" ? ("portal", .yellow) : ("not checked", .yellow)
    }

    private static func word(_ verdict: String) -> (String, TerminalStyle.Colour) {
        switch verdict {
        case "ok": ("ok", .green)
        case "failed": ("failed", .red)
        default: ("not checked", .yellow)
        }
    }

    private static func result(_ report: AgentEvents.CheckReport, _ portal: AgentStatus.ProbeStatus?) -> String {
        let time = DurationText.milliseconds(.microseconds(report.durationMicroseconds))
        if let portal { return ForeignText.line("\(portal.code ?? "portal"), after \(time)") }
        guard let code = report.code else { return "in \(time)" }
        let phase = report.phase.map { " in phase \($0)" } ?? ""
        return ForeignText.line("\(code)\(phase), after \(time)")
    }

    /// Adds the meaning of a portal's answer, and its login page.
    private func add(_ portal: AgentStatus.ProbeStatus, to block: inout TextBlock) {
        let code = portal.code.flatMap(FindingCode.init(rawValue:)) ?? .portalContent
        block.add("seen", code.sentence, indent: 2, labelWidth: 6)
        let login = portal.portalURL.map { "Log in at \(ForeignText.line($0))" }
        block.add("do", login ?? code.configuredRemedy, indent: 2, labelWidth: 6)
    }

    /// Adds the findings that determined the verdict.
    private func add(_ check: AgentEvents.CompletedCheck, to block: inout TextBlock) {
        let report = check.report
        for finding in report.findings where finding.code == report.code {
            guard let code = FindingCode(rawValue: finding.code) else { continue }
            let evidence = ForeignText.line("\(finding.subject): \(finding.evidence)")
            block.add("seen", evidence, indent: 2, labelWidth: 6)
            block.add("do", Self.remedy(code, check), indent: 2, labelWidth: 6)
        }
    }

    private static func remedy(_ code: FindingCode, _ check: AgentEvents.CompletedCheck) -> String {
        if check.report.isExcused { return remedy(inFamily: check.point.family) }
        // The agent's verdict on a portal takes a second check.
        guard code == .httpStatus, check.report.hops.count == 1, PortalHint(check.report) != nil else {
            return code.configuredRemedy
        }
        let portal = "Or a captive portal answers: `\(check.point.command.text)` shows it."
        return ForeignText.line("\(code.configuredRemedy) \(portal)")
    }

    /// Returns the remedy for a target that has an address of the other family only.
    private static func remedy(inFamily family: String?) -> String {
        let (only, key, record) = family == "ipv4" ? ("IPv6", "ipv6", "A") : ("IPv4", "ipv4", "AAAA")
        return "Nothing, if the target has \(only) only (`families = \"\(key)\"` leaves this check out); "
            + "else give its name an \(record) record."
    }
}

/// Findings, each with what to do about it.
struct FindingText {
    let style: TerminalStyle
    /// True for a check of the configuration, whose keys are named instead of options.
    var isConfigured = false

    func add(_ findings: [Probes.Finding], to block: inout TextBlock) {
        for finding in findings {
            block.add()
            block.add(headline(finding))
            // A smaller object than requested is no failure, of which the sentence is.
            if finding.severity != .note || finding.code != .httpBody {
                block.add("", ForeignText.line(finding.code.sentence), indent: 2, labelWidth: 0)
            }
            block.add("seen", ForeignText.line("\(finding.subject): \(finding.evidence)"), indent: 2, labelWidth: 6)
            if finding.severity != .note {
                let remedy = isConfigured ? finding.code.configuredRemedy : finding.code.remedy
                block.add("do", remedy, indent: 2, labelWidth: 6)
            }
        }
    }

    private func headline(_ finding: Probes.Finding) -> String {
        let (word, colour): (String, TerminalStyle.Colour) =
            switch finding.severity {
            case .refusal: ("error", .red)
            case .warning: ("warning", .yellow)
            case .note: ("note", .dim)
            }
        return style.paint(word, colour) + " " + style.paint(finding.code.rawValue, .bold)
    }
}
