internal import AgentEvents

/// The newest changes with their causes, and the state of the agent itself.
extension StatusPage {
    private static let kinds = ["reachability", "uplink", "probe", "target", "agent"]

    func writeTimeline(_ html: inout HTMLText) {
        html.raw(
            "<section id=\"all-changes\" aria-labelledby=\"changes\"><h2 id=\"changes\" tabindex=\"-1\">Changes</h2>"
        )
        guard !content.timeline.isEmpty else {
            html.element("p class=\"card\"", content.isReading ? "The journal is being read." : "No change yet.")
            return html.raw("</section>")
        }
        writeFilter(&html)
        html.raw("<ol class=\"card lines\" id=\"timeline\">")
        for entry in content.timeline { write(entry, &html) }
        html.raw("</ol><p class=\"dim\">The newest \(content.timeline.count). All are in ")
        html.raw("<a href=\"/api/history\">/api/history</a>, and <code>reachagent history</code> prints them.</p>")
        html.raw("</section>")
    }

    /// Writes the filter, which only the script makes visible; without the script, all entries are shown.
    private func writeFilter(_ html: inout HTMLText) {
        html.raw("<form id=\"filter\" hidden role=\"search\" aria-label=\"Filter of the changes\">")
        html.raw("<label>Changes <select name=\"kind\"><option value=\"\">settled<option value=\"all\">every edge")
        for kind in Self.kinds { html.raw("<option>\(kind)") }
        html.raw("</select></label>")
        let uplinks = status.uplinks.map(\.interface) + status.unusedInterfaces.map(\.name)
        writeChoice("Uplink", "uplink", uplinks + content.timeline.flatMap(\.interfaces), &html)
        writeChoice("Probe", "probe", status.probes.map(\.probe) + content.timeline.compactMap(\.probe), &html)
        html.raw("<output name=\"count\" for=\"kind uplink probe\"></output></form>")
    }

    private func writeChoice(_ label: String, _ name: String, _ values: [String], _ html: inout HTMLText) {
        html.raw("<label>\(label) <select name=\"\(name)\"><option value=\"\">all")
        for value in Set(values).sorted().prefix(256) {
            html.raw("<option")
            html.attribute("value", value)
            html.raw(">")
            html.text(value)
        }
        html.raw("</select></label>")
    }

    private func write(_ entry: TimelineEntry, _ html: inout HTMLText) {
        html.raw("<li id=\"event-\(entry.sequence)\" data-kind=\"\(entry.kind)\"")
        if !entry.interfaces.isEmpty { html.attribute("data-uplink", entry.interfaces.joined(separator: " ")) }
        if let probe = entry.probe { html.attribute("data-probe", probe) }
        html.raw("><time datetime=\"\(entry.time)\">")
        html.text(clock.brief(entry.time))
        html.raw("</time><span>")
        let (sign, style, word) = Self.tone(of: entry.summary)
        html.sign(sign, style)
        if !word.isEmpty { html.raw("<span class=\"quiet\">\(word): </span>") }
        html.element("b", entry.summary.subject)
        html.text(" \(entry.summary.headline)")
        if !entry.summary.detail.isEmpty { html.element("span class=\"dim\"", " \(entry.summary.detail)") }
        html.raw("</span><small>#\(entry.sequence)</small>")
    }

    private static func tone(of summary: EventSummary) -> (sign: String, style: String, word: String) {
        switch summary.tone {
        case .loss: ("▼", "bad", "worse")
        case .recovery: ("▲", "good", "better")
        case .trouble: ("!", "doubtful", "attention")
        case .neutral: ("·", "unknown", "")
        }
    }

    func writeAgent(_ html: inout HTMLText) {
        html.raw("<footer aria-label=\"The agent\"><dl>")
        for (label, text) in agentRows {
            html.raw("<div>")
            html.element("dt", label)
            html.element("dd", text)
            html.raw("</div>")
        }
        html.raw("</dl><p><a href=\"/metrics\">Metrics</a> <a href=\"/api/status\">Status as JSON</a>")
        html.raw(" <a href=\"/healthz\">Health</a></p></footer>")
    }

    /// Returns the description of a sink: `connected to tls://nats.example.org, shipped through #41, 2 waiting`.
    private static func text(of sink: SinkStatus) -> String {
        let state =
            switch sink.state {
            case .absent: "not reported, for"
            case .waiting: "waiting for"
            case .connecting: "connecting to"
            default: "\(sink.state) to"
            }
        var parts = ["\(state) \(sink.broker)" + (sink.code.map { " [\($0)]" } ?? "")]
        if let sequence = sink.acknowledged { parts.append("shipped through #\(sequence)") }
        if let pending = sink.pending, pending > 0 {
            parts.append("\(SummaryText.number(Int(clamping: pending))) waiting")
        }
        if sink.lost > 0 { parts.append("\(SummaryText.number(Int(clamping: sink.lost))) lost") }
        return parts.joined(separator: ", ")
    }

    private var agentRows: [(label: String, text: String)] {
        var rows: [(label: String, text: String)] = []
        if let agent = status.agent {
            var text = "reachagent \(agent.version ?? "")"
            if let process = agent.processID { text += ", process \(process)" }
            if let started = agent.started { text += ", since \(clock.full(started))" }
            rows.append(("Agent", text))
        }
        rows.append(("Events", status.lastSequence.map { $0 == 0 ? "none yet" : "last #\($0)" } ?? "not known"))
        if let journal = status.journal {
            let span = journal.oldestSequence.flatMap { oldest in
                journal.newestSequence.map { "events #\(oldest) to #\($0)" }
            }
            rows.append(("Journal", [journal.directory, span ?? "empty"].compactMap { $0 }.joined(separator: ", ")))
        } else {
            rows.append(("Journal", "none: events are lost when the agent ends"))
        }
        if let checks = status.schedule?.checks { rows.append(("Checks", SummaryText.number(Int(clamping: checks)))) }
        if !status.hooks.isEmpty {
            rows.append(
                ("Hooks", SummaryText.number(status.hooks.count + max(0, min(status.hooksOmitted ?? 0, 1 << 32))))
            )
        }
        for sink in status.sinks { rows.append(("Sink \(sink.name)", Self.text(of: sink))) }
        if let sockets = status.sockets, let count = sockets.connections, let limit = sockets.limit {
            rows.append(("Connections", "\(count) of \(limit)"))
        }
        if let losses = status.losses(clock: { clock.brief($0) }) { rows.append(("Kernel", losses)) }
        return rows
    }
}
