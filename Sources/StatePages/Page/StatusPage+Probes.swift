internal import AgentEvents
internal import Availability

/// The probes, a row each.
extension StatusPage {
    private static let maximumRows = 200

    func writeProbes(_ html: inout HTMLText) {
        html.raw("<section id=\"all-probes\" aria-labelledby=\"probes\"><h2 id=\"probes\">Probes</h2>")
        guard !status.probes.isEmpty else {
            html.raw("<p class=\"card\">No probe is configured: whether anything answers is not checked. ")
            html.raw("<code>reachagent config init</code> writes a configuration with two.</p></section>")
            return
        }
        // The roles are explicit, because a row that a small screen stacks is no row for a screen reader otherwise.
        html.raw("<div class=\"card\"><table role=\"table\" aria-labelledby=\"probes\"><thead role=\"rowgroup\">")
        html.raw("<tr role=\"row\">")
        for name in ["Probe", "Verdict", "Last 24 hours", "p50", "p95", "Loss", "Certificate"] {
            html.raw("<th role=\"columnheader\" scope=\"col\">\(name)</th>")
        }
        html.raw("</tr></thead><tbody role=\"rowgroup\">")
        for probe in status.probes.prefix(Self.maximumRows) { writeRow(probe, &html) }
        html.raw("</tbody></table>")
        let rest = max(0, status.probes.count - Self.maximumRows) + max(0, min(status.probesOmitted ?? 0, 1 << 32))
        if rest > 0 { html.element("p class=\"dim\"", "\(SummaryText.number(rest)) more: reachagent status probes") }
        html.raw("</div></section>")
    }

    private func writeRow(_ probe: AgentStatus.ProbeStatus, _ html: inout HTMLText) {
        let point = ProbePoint(probe: probe.probe, interface: probe.interface, family: probe.family)
        let band = LatencyBand(content.latency[point] ?? [], clock)
        html.raw("<tr role=\"row\"")
        html.attribute("id", "probe-\(probe.name)")
        html.raw("><th role=\"rowheader\" scope=\"row\">")
        html.text(probe.probe)
        if let interface = probe.interface { html.element("span class=\"tag\"", interface) }
        if let family = probe.family { html.element("span class=\"tag\"", SummaryText.familyName(family)) }
        html.raw("</th><td role=\"cell\" data-label=\"Verdict\"><div>")
        writeVerdict(probe, &html)
        html.raw("</div></td><td role=\"cell\" class=\"wide\">")
        band.write(to: &html)
        html.raw("</td>")
        for (label, value) in [("p50", band.quantile(0.5)), ("p95", band.quantile(0.95)), ("Loss", band.loss)] {
            html.raw("<td role=\"cell\" class=\"number\" data-label=\"\(label)\">")
            html.text(value ?? "–")
            html.raw("</td>")
        }
        html.raw("<td role=\"cell\" class=\"number\" data-label=\"Certificate\"><div>")
        writeCertificate(probe.certificate, &html)
        html.raw("</div></td></tr>")
    }

    private func writeVerdict(_ probe: AgentStatus.ProbeStatus, _ html: inout HTMLText) {
        html.mark(Grade(verdict: probe.verdict))
        html.text(probe.verdict ?? "unknown")
        if let code = probe.code { html.code(code) }
        if probe.isFlapping { html.text(", flapping") }
        if probe.isStale { html.text(", not checked since the path changed") }
        if let since = probe.since {
            html.raw(" <small>for ")
            html.age(of: since, milliseconds: probe.forMilliseconds, clock)
            html.raw("</small>")
        }
        let isFailing = probe.verdict != "up" || (probe.lastOutcome != nil && probe.lastOutcome != "ok")
        if isFailing, let detail = probe.detail ?? probe.lastCode { html.element("div class=\"dim\"", detail) }
        if let url = probe.portalURL {
            html.raw("<div>")
            html.link(url, "Log in at the captive portal")
            html.raw("</div>")
        }
    }

    private func writeCertificate(_ certificate: AgentStatus.ExpiringCertificate?, _ html: inout HTMLText) {
        guard let certificate, let days = certificate.daysLeft else { return html.raw("–") }
        let grade = Grade(daysLeft: days)
        if grade != .good { html.mark(grade) }
        switch days {
        case ..<0: html.text("expired \(-days) d ago")
        case 0: html.text("expires today")
        default: html.text("\(days) d left")
        }
        if let end = certificate.notAfter { html.element("div class=\"dim\"", String(clock.full(end).prefix(10))) }
    }
}
