public import AgentEvents
public import Availability
internal import FoundationEssentials
internal import Nettle

/// The status page for people: one HTML document with the state, the last 90 days and the newest changes.
///
/// It is complete without its script, which only fetches the document again after a change and updates the differences
/// in place. The wording of a status is therefore defined in a single place, and is that of `reachagent status`.
public struct StatusPage {
    /// The Content-Security-Policy of the page, which allows only its own style and script, and connections to its own
    /// origin.
    public static let contentSecurityPolicy = """
        default-src 'none'; style-src 'sha256-\(hash(style))'; script-src 'sha256-\(hash(script))'; connect-src 'self'; \
        img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// The version of the style and the script.
    ///
    /// Extensions of browsers add styles and scripts of their own to the document, often before those of the page: which
    /// elements are the page's cannot be told from the document.
    private static let code = hash(style + script)

    let content: PageContent
    let clock: PageClock
    private let explain: AgentStatus.Explanation

    var status: AgentStatus { content.status }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - content: The values to show.
    ///   - local: Returns a time in RFC 3339 in the local time zone.
    ///   - explain: Returns the meaning of a check's code, for the advice.
    public static func bytes(
        of content: PageContent,
        local: @escaping (Timestamp) -> String = \.localDescription,
        explaining explain: @escaping AgentStatus.Explanation = { _ in nil }
    ) -> [UInt8] {
        let now = content.status.time ?? Timestamp(microsecondsSince1970: 0)
        let page = StatusPage(content: content, clock: PageClock(now: now, local: local), explain: explain)
        var html = HTMLText()
        page.write(to: &html)
        return html.bytes
    }

    private func write(to html: inout HTMLText) {
        let grade = Grade(connectivity: status.reachability.state)
        let host = status.agent?.host ?? "this machine"
        let answer = ReachabilityState.answer(status.reachability.state)
        html.raw("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">")
        html.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        html.raw("<meta name=\"color-scheme\" content=\"light dark\">")
        html.raw("<link rel=\"icon\" href=\"\(grade.icon)\">")
        html.element("title", "\(grade.sign) \(host): \(answer)")
        html.raw("<style>\(Self.style)</style>")
        html.raw("<a class=\"skip\" href=\"#changes\">Skip to the changes</a><header>")
        html.element("b", host)
        html.raw("<span id=\"live\">as of ")
        html.text(clock.full(clock.now))
        html.raw("</span></header><p id=\"news\" class=\"quiet\" role=\"status\"></p>")
        html.raw("<main data-now=\"\(clock.now.microsecondsSince1970 / 1000)\"")
        html.raw(" data-offset=\"\(clock.offsetMilliseconds)\"")
        html.raw(" data-code=\"\(Self.code)\"")
        html.raw(" data-sequence=\"\(status.lastSequence ?? 0)\"\(content.isReading ? " data-reading" : "")>")
        writeState(answer, grade, &html)
        writeProblems(&html)
        writeUplinks(&html)
        writeTargets(&html)
        writeProbes(&html)
        writeTimeline(&html)
        writeAgent(&html)
        html.raw("</main><script>\(Self.script)</script></html>\n")
    }

    // MARK: Summary

    private func writeState(_ answer: String, _ grade: Grade, _ html: inout HTMLText) {
        let settled = status.reachability
        html.raw(
            "<section id=\"state\" class=\"card answer \(grade.rawValue)\" aria-labelledby=\"answer\"><h1 id=\"answer\">"
        )
        html.mark(grade)
        html.text(answer)
        html.raw("</h1>")
        let since = settled.answerSince
        if let moment = since.moment {
            html.raw("<p>since ")
            html.time(moment, clock)
            html.raw(" (")
            html.age(of: moment, milliseconds: since.age, clock)
            html.raw(")</p>")
        }
        if let pending = settled.pending {
            html.raw("<p id=\"pending\">")
            html.sign("!", "doubtful")
            html.text("about to change: \(ReachabilityState.answer(pending.state))")
            if let code = pending.cause?.code { html.code(code) }
            html.raw("</p>")
        }
        if let advice = status.advice(explaining: explain) {
            html.raw("<p id=\"problem\">")
            html.text(advice.problem)
            html.code(advice.code)
            html.raw("</p><p class=\"do\">")
            html.raw("<span aria-hidden=\"true\">→ </span>")
            html.action(advice.action)
            html.raw("</p>")
        }
        if let url = settled.state?.portalURL {
            html.raw("<p class=\"do\">")
            html.link(url, "Log in at the captive portal")
            html.raw(" ")
            html.element("code", url)
            html.raw("</p>")
        }
        if let cause = settled.cause {
            let detail =
                cause.kind == "start" ? "the agent was started" : cause.detail ?? cause.interface ?? cause.kind
            html.raw("<p class=\"dim\">last change: ")
            html.text(detail)
            html.code(cause.code)
            html.raw("</p>")
        }
        html.raw("</section>")
    }

    /// Writes the problems of the agent itself, with the wording of `reachagent status`.
    private func writeProblems(_ html: inout HTMLText) {
        let problems = status.problems(at: clock.now, explaining: explain) {
            clock.brief($0)
        } moment: {
            "\(clock.brief($0)), \(clock.age(of: $0)) ago"
        }
        let hooks = status.hooks.filter(\.isTroubled)
        guard !problems.isEmpty || !hooks.isEmpty else { return }
        html.raw("<section id=\"troubles\" class=\"card problems\" aria-labelledby=\"problems\">")
        html.raw("<h2 id=\"problems\">Problems of the agent</h2><ul>")
        for problem in problems {
            html.raw("<li>")
            html.sign("!", "doubtful")
            html.action(problem)
        }
        for hook in hooks {
            html.raw("<li>")
            html.sign("!", "doubtful")
            html.text("hook \(hook.hook): \(hook.last?.ending.words ?? "failed")")
            if let failures = hook.failures, failures > 1 { html.text(", \(failures) times in a row") }
            html.raw("; ")
            html.element("code", "reachagent status agent")
        }
        html.raw("</ul></section>")
    }

    private func writeTargets(_ html: inout HTMLText) {
        guard !status.targets.isEmpty else { return }
        html.raw(
            "<section id=\"all-targets\" aria-labelledby=\"targets\"><h2 id=\"targets\">Targets</h2><ul class=\"card lines\">"
        )
        for target in status.targets.prefix(64) {
            let state = target.settled.state
            html.raw("<li>")
            html.mark(state.map { $0.via == .unknown ? .unknown : $0.isReachable ? .good : .bad } ?? .unknown)
            html.element("b", target.name)
            html.text(" \(state?.path.overall.summary ?? "not known")")
            if let since = target.settled.viaSince ?? target.settled.since {
                html.raw(" <small>since ")
                html.time(since, clock)
                html.raw("</small>")
            }
        }
        html.raw("</ul></section>")
    }

    private static func hash(_ text: String) -> String {
        Data(SHA2.sha256.hash(Array(text.utf8))).base64EncodedString()
    }
}

/// The values that the page shows.
public struct PageContent: Sendable {
    /// The status.
    public var status: AgentStatus
    /// The daily availability of the default path and of each uplink; empty until the journal has been read.
    public var calendars: [AvailabilityCalendar]
    /// The checks from each vantage in the last 24 hours.
    public var latency: [ProbePoint: [RecentLatency.Hour]]
    /// The transfers over each uplink, and, without a name, over the default path.
    public var transfers: [String?: RecentTransfers.Series]
    /// The newest events, the newest first.
    public var timeline: [TimelineEntry]
    /// `true` while the journal is being read, which will provide more values.
    public var isReading: Bool

    /// Creates the values of a page.
    public init(
        status: AgentStatus,
        calendars: [AvailabilityCalendar] = [],
        latency: [ProbePoint: [RecentLatency.Hour]] = [:],
        transfers: [String?: RecentTransfers.Series] = [:],
        timeline: [TimelineEntry] = [],
        isReading: Bool = false
    ) {
        self.status = status
        self.calendars = calendars
        self.latency = latency
        self.transfers = transfers
        self.timeline = timeline
        self.isReading = isReading
    }
}
