internal import AgentEvents
internal import Availability

/// The table of probes, with one row for each.
extension StatusPage {
    private static let maximumRows = 200

    func writeProbes(_ html: inout HTMLText) {
        html.raw("<section id=\"all-probes\" aria-labelledby=\"probes\"><h2 id=\"probes\">Probes</h2>")
        guard !status.probes.isEmpty else {
            html.raw("<p class=\"card\">No probe is configured: whether anything answers is not checked. ")
            html.raw(
                status.readsNoConfiguration
                    ? "The agent was started with <code>--no-config</code>."
                    : "<code>reachagent config init</code> writes a configuration with two."
            )
            html.raw("</p></section>")
            return
        }
        // The roles are explicit, because screen readers do not treat rows that are stacked on a small screen as rows
        // otherwise.
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
        // The details of a last check that failed for another reason than the verdict's.
        let particulars = [probe.lastCode, probe.detail].compactMap(\.self)
        if isFailing, !particulars.isEmpty { html.element("div class=\"dim\"", particulars.joined(separator: ": ")) }
        if let url = probe.portalURL {
            html.raw("<div>")
            html.link(url, "Log in at the captive portal")
            html.raw("</div>")
        }
    }

    private func writeCertificate(_ certificate: AgentStatus.ExpiringCertificate?, _ html: inout HTMLText) {
        guard let certificate, let days = certificate.daysLeft else { return html.raw("–") }
        let grade = Grade(certificate)
        if grade != .good { html.mark(grade) }
        switch days {
        case ..<0: html.text("expired \(days.magnitude) d ago")
        case 0: html.text("expires today")
        default: html.text("\(days) d left")
        }
        if let end = certificate.notAfter { html.element("div class=\"dim\"", String(clock.full(end).prefix(10))) }
    }
}

/// The chart of the checks in the last 24 hours: a band from p50 to p95 for each hour, and a triangle below an hour
/// with failures.
struct LatencyBand {
    private static let (width, gap, top, bottom) = (3, 1, 2.0, 25.0)

    private let hours: [RecentLatency.Hour]
    private let clock: PageClock
    /// The durations of all hours.
    let latency: ExponentialHistogram
    private let counts: (succeeded: Int, failed: Int)

    init(_ hours: [RecentLatency.Hour], _ clock: PageClock) {
        self.hours = hours
        self.clock = clock
        var sum = ExponentialHistogram()
        for hour in hours { sum.merge(hour.latency) }
        latency = sum
        counts = hours.reduce((0, 0)) { sum, hour in (sum.0 &+ hour.succeeded, sum.1 &+ hour.failed) }
    }

    /// Returns a quantile of the durations: `28 ms`; `nil` if no check succeeded.
    func quantile(_ share: Double) -> String? { latency.quantile(share).map(SummaryText.latency(microseconds:)) }

    /// The share of failed checks, never rounded to zero: `0 %`, `< 0.1 %`, `3.2 %`; `nil` without a check.
    var loss: String? {
        let total = Double(counts.succeeded) + Double(counts.failed)
        guard total > 0 else { return nil }
        guard counts.failed > 0 else { return "0 %" }
        guard counts.succeeded > 0 else { return "100 %" }
        let tenths = Int((Double(counts.failed) / total * 1000).rounded())
        switch tenths {
        case 0: return "< 0.1 %"
        case 1000...: return "> 99.9 %"
        default: return "\(tenths / 10).\(tenths % 10) %"
        }
    }

    /// The description of the last 24 hours.
    var summary: String {
        guard let median = quantile(0.5), let high = quantile(0.95) else {
            return counts.failed > 0 ? "\(SummaryText.number(counts.failed)) checks failed, none succeeded" : "no data"
        }
        return "last 24 hours: median \(median), 95 % within \(high), loss \(loss ?? "not known")"
    }

    func write(to html: inout HTMLText) {
        let first = RecentLatency.firstHour(at: clock.now)
        let columns = RecentLatency.hours * (Self.width + Self.gap) - Self.gap
        html.openChart("band", width: columns, height: 32, summary)
        let highest = hours.compactMap { $0.latency.quantile(0.95) }.max() ?? 0
        func level(_ microseconds: Int64) -> Double {
            Self.bottom - (Self.bottom - Self.top) * Double(microseconds) / Double(max(1, highest))
        }
        for column in 0..<RecentLatency.hours {
            let start = Timestamp(
                microsecondsSince1970: first.microsecondsSince1970 &+ Int64(column) * 3_600_000_000
            )
            let x = column * (Self.width + Self.gap)
            html.raw("<g><title>")
            let hour = hours.first { $0.start == start }
            html.text(words(hour, at: start))
            html.raw("</title>")
            if let hour, let median = hour.latency.quantile(0.5), let high = hour.latency.quantile(0.95) {
                let (low, up) = (level(median), level(high))
                html.raw("<rect class=\"range\" x=\"\(x)\" y=\"\(Self.decimal(up))\" width=\"\(Self.width)\"")
                html.raw(" height=\"\(Self.decimal(max(1, low - up)))\"/><rect class=\"median\" x=\"\(x)\"")
                html.raw(" y=\"\(Self.decimal(low - 0.8))\" width=\"\(Self.width)\" height=\"1.6\"/>")
            } else if hour == nil {
                html.raw(
                    "<rect class=\"none\" x=\"\(x)\" y=\"\(Int(Self.bottom))\" width=\"\(Self.width)\" height=\"1\"/>"
                )
            }
            if let hour, hour.failed > 0 {
                html.raw("<path class=\"fail\" d=\"M\(x) 32h\(Self.width)l-1.5-5z\"/>")
            }
            html.raw("</g>")
        }
        html.raw("</svg>")
    }

    /// Returns the description of an hour: `14:00: p50 28 ms, p95 57 ms, 60 checks, 2 failed`.
    private func words(_ hour: RecentLatency.Hour?, at start: Timestamp) -> String {
        let time = clock.local(start).dropFirst(11).prefix(5)
        guard let hour else { return "\(time): no check" }
        var parts: [String] = []
        if let median = hour.latency.quantile(0.5), let high = hour.latency.quantile(0.95) {
            parts.append("p50 \(SummaryText.latency(microseconds: median))")
            parts.append("p95 \(SummaryText.latency(microseconds: high))")
        }
        parts.append(SummaryText.count(UInt64(clamping: hour.succeeded &+ hour.failed), "check"))
        if hour.failed > 0 { parts.append("\(SummaryText.number(hour.failed)) failed") }
        return "\(time): \(parts.joined(separator: ", "))"
    }

    /// Returns a number with at most one decimal, independently of the locale.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int((max(0, min(1000, value)) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
