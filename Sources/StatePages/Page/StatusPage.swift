public import AgentEvents
internal import Crypto
internal import FoundationEssentials

/// The page for people: one HTML document of a status.
///
/// It is whole without its script, which only takes the document again when an event says that something has changed: so
/// there is one place that has words for a status.
public enum StatusPage {
    /// The policy of the page: nothing but its own style and script, and connections to where it came from.
    public static let contentSecurityPolicy = """
        default-src 'none'; style-src 'sha256-\(hash(style))'; script-src 'sha256-\(hash(script))'; connect-src 'self'; \
        img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - status: The status that is shown.
    ///   - explain: The meaning of a check's code, for the advice.
    public static func bytes(
        of status: AgentStatus,
        explaining explain: AgentStatus.Explanation = { _ in nil }
    ) -> [UInt8] {
        var html = HTMLText()
        let host = status.agent?.host ?? "this machine"
        html.raw("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">")
        html.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        html.raw("<meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>")
        html.text("\(host): \(headline(status))")
        html.raw("</title><style>\(style)</style><main>")
        html.raw("<header><b>")
        html.text(host)
        html.raw("</b><span id=\"live\" role=\"status\">as of ")
        html.text(clock(status.time))
        html.raw("</span></header>")
        writeState(status, advice: status.advice(explaining: explain), &html)
        writeUplinks(status, &html)
        writeProbes(status, &html)
        writeChanges(status, &html)
        writeAgent(status, &html)
        html.raw("</main><script>\(script)</script></html>\n")
        return html.bytes
    }

    // MARK: Parts

    private static func headline(_ status: AgentStatus) -> String {
        guard let state = status.reachability.state, state.via != .unknown else { return "not known yet" }
        guard state.isReachable else { return "not reachable" }
        let connectivity = state.connectivity.map(\.rawValue) ?? "unknown"
        return connectivity == "unknown" ? "reachable" : connectivity
    }

    private static func writeState(_ status: AgentStatus, advice: Advice?, _ html: inout HTMLText) {
        let standing = status.reachability
        let grade = Grade(connectivity: standing.state)
        html.raw("<section class=\"card \(grade.rawValue)\" aria-live=\"polite\"><h1>")
        html.mark(grade)
        html.text(headline(status))
        html.raw("</h1><p>")
        html.text(standing.state?.summary ?? "the kernel has not answered yet")
        if let time = standing.forMilliseconds { html.text(" · for \(SummaryText.lasting(milliseconds: time))") }
        html.raw("</p>")
        writeAdvice(advice, &html)
        if let cause = standing.cause {
            html.raw("<p>last change: ")
            html.text(cause.detail ?? cause.code)
            html.raw(" <code>")
            html.text(cause.code)
            html.raw("</code></p>")
        }
        if let url = standing.state?.portalURL {
            html.raw("<p>A captive portal answers: ")
            html.link(url, "log in")
            html.raw("</p>")
        }
        if let pending = standing.pending?.state {
            html.raw("<p>about to change: ")
            html.text(pending.summary)
            html.raw("</p>")
        }
        html.raw("</section>")
    }

    /// The most important problem, and the first thing to do about it, in the words of `reachagent status`.
    private static func writeAdvice(_ advice: Advice?, _ html: inout HTMLText) {
        guard let advice else { return }
        html.raw("<p class=\"do\">")
        html.text(advice.problem)
        html.raw(" <code>")
        html.text(advice.code)
        html.raw("</code>. ")
        for part in advice.action.parts {
            switch part {
            case .text(let text): html.text(text)
            case .address(let address): html.link(address, address)
            case .command(let command):
                html.raw("<code>")
                html.text(command)
                html.raw("</code>")
            }
        }
        html.raw("</p>")
    }

    private static func writeUplinks(_ status: AgentStatus, _ html: inout HTMLText) {
        guard !status.uplinks.isEmpty else { return }
        html.raw("<h2>Uplinks</h2><div class=\"grid\">")
        for uplink in status.uplinks {
            html.raw("<div class=\"card\"><b>")
            if uplink.connectivity != .unknown { html.mark(Grade(uplink.connectivity)) }
            html.text(uplink.interface)
            html.raw("</b><p>")
            html.text(uplink.summary)
            html.raw("</p></div>")
        }
        html.raw("</div>")
    }

    private static func writeProbes(_ status: AgentStatus, _ html: inout HTMLText) {
        guard !status.probes.isEmpty else { return }
        html.raw(
            "<h2>Probes</h2><div class=\"card\"><table><thead><tr><th scope=\"col\">Probe<th scope=\"col\">Verdict"
        )
        html.raw("<th scope=\"col\">Last check<th scope=\"col\">Certificate</thead><tbody>")
        for probe in status.probes {
            html.raw("<tr><th scope=\"row\">")
            html.text(([probe.probe] + [probe.interface, probe.family].compactMap { $0 }).joined(separator: " "))
            html.raw("<td>")
            html.mark(Grade(verdict: probe.verdict))
            html.text(probe.verdict ?? "unknown")
            if let code = probe.code {
                html.raw(" <code>")
                html.text(code)
                html.raw("</code>")
            }
            if let detail = probe.detail, probe.verdict != "up" {
                html.raw("<br><small>")
                html.text(detail)
                html.raw("</small>")
            }
            html.raw("<td>")
            html.text(probe.latencyMilliseconds.map { "\($0) ms" } ?? "–")
            html.raw("<td>")
            html.text(probe.certificate?.daysLeft.map { "\($0) days" } ?? "")
        }
        html.raw("</tbody></table>")
        if let omitted = status.probesOmitted { html.text("and \(omitted) more") }
        html.raw("</div>")
    }

    private static func writeChanges(_ status: AgentStatus, _ html: inout HTMLText) {
        guard !status.recent.isEmpty else { return }
        html.raw("<h2>Changes</h2><div class=\"card\"><ol>")
        for change in status.recent.reversed() {
            html.raw("<li><time>")
            html.text(clock(change.time))
            html.raw("</time> <span>")
            if let subject = change.subject, subject != AgentEvent.defaultSubject {
                html.text([subject, change.family].compactMap { $0 }.joined(separator: " ") + ": ")
            }
            html.text([change.from, change.to].compactMap { $0 }.joined(separator: " → "))
            html.raw("</span> <small>")
            html.text([change.code, change.sequence.map { "#\($0)" }].compactMap { $0 }.joined(separator: " · "))
            html.raw("</small>")
        }
        html.raw("</ol></div>")
    }

    private static func writeAgent(_ status: AgentStatus, _ html: inout HTMLText) {
        html.raw("<footer>")
        html.text("reachagent \(status.agent?.version ?? "")")
        if let number = status.lastSequence { html.text(" · event #\(number)") }
        if status.isSynchronized == false { html.text(" · the view of the kernel is not certain") }
        if status.journal?.isDegraded == true {
            html.text(" · the journal cannot be written: \(status.journal?.detail ?? status.journal?.code ?? "")")
        }
        let failing = status.hooks.filter(\.isTroubled).map(\.hook)
        if !failing.isEmpty { html.text(" · hooks fail: \(failing.joined(separator: ", "))") }
        html.raw("</footer>")
    }

    private static func clock(_ time: Timestamp?) -> String {
        time.map { String($0.localDescription.prefix(19).replacing("T", with: " ")) } ?? "?"
    }

    private static func hash(_ text: String) -> String {
        Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
    }
}
