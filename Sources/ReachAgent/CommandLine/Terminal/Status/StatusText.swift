internal import AgentEvents
internal import CheckResults
internal import ForeignText

/// The agent's status as people read it in trouble: the answer first, then the first thing to do, then its basis.
struct StatusText {
    typealias Status = AgentEvents.AgentStatus
    typealias State = AgentEvents.ReachabilityState
    typealias Path = AgentEvents.Path

    /// An area of the status that is shown in detail.
    enum Area: String, CaseIterable { case uplinks, probes, agent }

    /// A space at which no line is broken; it is printed as an ordinary space.
    static let unbreakable: Character = "\u{A0}"
    /// The width of the labels in front of everything.
    private static let labelWidth = 14

    let reply: Status
    let style: TerminalStyle
    let clock: ClockText

    /// A text of a reply.
    ///
    /// - Parameters:
    ///   - now: The reference time of ages if the reply has no time.
    ///   - local: Formats a time in the local time zone.
    init(
        _ reply: Status,
        style: TerminalStyle,
        now: Timestamp,
        local: @escaping (Timestamp) -> String = \.localDescription
    ) {
        self.reply = reply
        self.style = style
        clock = ClockText(now: reply.time ?? now, local: local)
    }

    /// The most important information, on one screen.
    var screen: String {
        text(
            [head, uplinks(atMost: 6), brief(probesAtMost: 6), targets(atMost: 4), hooks(atMost: 2)]
                + (isGood ? [] : [changes(atMost: 3)])
        )
    }

    /// The full status.
    var full: String {
        text([
            head, paths, uplinks(), availability, probes(), targets(), certificates, interfaces, changes(atMost: 10),
            hooks(atMost: 12),
            agent,
        ])
    }

    /// The full information of one area.
    func detail(of area: Area) -> String {
        switch area {
        case .uplinks: text([uplinks(), availability, paths, targets(), interfaces])
        case .probes: text([probes(), certificates])
        case .agent: text([problems, agent, hooks(atMost: 64)])
        }
    }

    /// One line for a prompt or a bar: `wifi partial: api`.
    var short: String {
        guard let state = reply.reachability.state, state.via != .unknown else { return "unknown" }
        guard state.isReachable else {
            let reason = state.path.overall.reason ?? state.reason
            return safe(state.via.rawValue) + (reason.map { ": \(safe($0))" } ?? "")
        }
        guard let connectivity = state.connectivity, connectivity != .unknown else { return safe(state.via.rawValue) }
        let culprit = connectivity == .full ? nil : state.connectivityProbe ?? state.connectivityReason
        return "\(safe(state.via.rawValue)) \(safe(connectivity.rawValue))" + (culprit.map { ": \(safe($0))" } ?? "")
    }

    private func text(_ parts: [[String]]) -> String {
        let text = parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
        return Self.spaced(text)
    }

    // MARK: The answer

    private var head: [String] {
        var lines = painted(wrapped(headline), colour)
        if let pending = reply.reachability.pending {
            let age = pending.forMilliseconds.map { ", for " + kept(within($0)) } ?? ""
            lines += painted(wrapped("about to change: \(answer(pending.state))\(age)"), .yellow)
        }
        let advice = reply.advice(explaining: explain)
        if let advice {
            lines += wrapped("\(safe(advice.problem)) " + kept("[\(safe(advice.code))]"))
            lines += painted(wrapped("\(style.arrow) \(text(advice.action))"), .cyan)
        }
        return lines + problems
    }

    /// Returns the meaning and the remedy of a check's code.
    func explain(_ code: String) -> (meaning: String, remedy: String)? {
        FindingCode(rawValue: code).map { ($0.sentence, $0.configuredRemedy) }
    }

    private var headline: String {
        let settled = reply.reachability
        let host = reply.agent?.host.map { kept("\(safe($0))  ") } ?? ""
        let since = settled.answerSince
        return host + answer(settled.state) + (moment(since.moment, age: since.age).map { ", since \($0)" } ?? "")
    }

    /// `PARTIAL over wifi wlan0 (IPv4, IPv6)`.
    private func answer(_ state: State?) -> String { safe(State.answer(state, keeping: kept)) }

    /// Green for what works as far as is known, yellow for what works in part, red for nothing.
    private var colour: TerminalStyle.Colour {
        guard let state = reply.reachability.state, state.isReachable else { return .red }
        switch state.connectivity ?? .unknown {
        case .portal, .partial: return .yellow
        case .local, .none: return .red
        default: return .green
        }
    }

    /// True if the last changes need not be shown.
    private var isGood: Bool {
        guard let state = reply.reachability.state else { return false }
        return colour == .green && !state.isFlapping && reply.reachability.pending == nil
            && (state.connectivity == .full || state.connectivityReason == nil)
    }

    // MARK: Words

    /// A time and its age: `14:02:11 (3 h 12 min)`.
    ///
    /// - Parameter age: The milliseconds since then, where they are known by a clock that does not jump.
    func moment(_ moment: Timestamp?, age: Int64? = nil) -> String? {
        guard let moment else { return nil }
        let age = age.map { Duration.milliseconds($0) } ?? clock.duration(since: moment)
        return kept(clock.brief(moment)) + " " + kept("(\(DurationText.coarse(age)))")
    }

    /// A short time: `900 ms`, `8 s`, `3 min 20 s`.
    func within(_ milliseconds: Int64) -> String { SummaryText.lasting(milliseconds: milliseconds) }

    /// A text that is not broken across lines.
    func kept(_ text: String) -> String { Self.kept(text) }

    /// A text that is not broken across lines, so that a command can be copied; ``spaced(_:)`` restores its spaces.
    static func kept(_ text: String) -> String { String(text.map { $0 == " " ? unbreakable : $0 }) }

    /// A text as it is printed.
    static func spaced(_ text: String) -> String { String(text.map { $0 == unbreakable ? " " : $0 }) }

    /// A URL for the user to open: never broken, and longer than other texts.
    func address(_ url: String) -> String { kept(ForeignText.line(url)) }

    /// A text of the agent, escaped for a terminal.
    func safe(_ text: String, limit: Int = 200) -> String { style.spelled(ForeignText.shown(text, limit: limit)) }

    /// A path that is usable: `wwan wg0 over wwan0`.
    func words(_ path: Path) -> String {
        var words = safe(path.via.rawValue)
        if let interface = path.interface { words += " \(safe(interface))" }
        if let underlay = path.underlay?.interface { words += " over \(safe(underlay))" }
        return words + SummaryText.deadLegs(path.deadLegs.compactMap { $0.interface.map { safe($0) } })
    }

    func text(_ action: Advice.Action, limit: Int = 200) -> String {
        action.parts.map { part in
            switch part {
            case .text(let text): safe(text, limit: limit)
            case .command(let command), .change(let command): kept("`\(safe(command))`")
            case .address(let url): address(url)
            }
        }.joined()
    }

    // MARK: Lines

    /// A text over as many lines as it takes; all but the first are indented.
    func wrapped(_ text: String) -> [String] {
        var block = TextBlock(columns: style.columns)
        block.add(fitting(text, style.columns - 2), hanging: 2)
        return block.lines
    }

    /// A text without a word that is longer than a line; only addresses stay as they are.
    private func fitting(_ text: String, _ width: Int) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isLink = ["http://", "https://"].contains { word.firstRange(of: $0) != nil }
            guard String(word).displayWidth > width, !isLink else { return String(word) }
            // Words that were to stay together come apart first.
            let parts = word.split(separator: Self.unbreakable, omittingEmptySubsequences: false)
            return parts.map { part in
                stride(from: 0, to: max(part.count, 1), by: width)
                    .map { part.dropFirst($0).prefix(width) }.joined(separator: " ")
            }.joined(separator: " ")
        }.joined(separator: " ")
    }

    /// Lines of a label and a text each, some in a colour.
    func labelled(_ rows: [(label: String, text: String, colour: TerminalStyle.Colour?)]) -> [String] {
        let widest = rows.map(\.label.displayWidth).max() ?? 0
        let width = max(min(Self.labelWidth, style.columns / 4), min(widest + 2, style.columns / 2))
        return rows.flatMap { row in
            // A space always stands between a label that is too long and the text.
            let label = row.label.displayWidth < width ? row.label : row.label.prefix(columns: width - 1) + " "
            var block = TextBlock(columns: style.columns)
            block.add(label, fitting(row.text, style.columns - width - 2), indent: 2, labelWidth: width)
            return row.colour.map { painted(block.lines, $0) } ?? block.lines
        }
    }

    /// Lines of a label and a text each.
    func labelled(_ rows: [(label: String, text: String)]) -> [String] {
        labelled(rows.map { ($0.label, $0.text, nil) })
    }

    /// A section with a title.
    func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [style.paint(title.prefix(columns: style.columns), .bold)] + lines
    }

    /// Lines in one colour.
    func painted(_ lines: [String], _ colour: TerminalStyle.Colour) -> [String] {
        lines.map { style.paint($0, colour) }
    }
}
