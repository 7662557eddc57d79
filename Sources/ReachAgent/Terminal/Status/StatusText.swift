internal import EventEnvelope
internal import EventSchema
internal import ForeignText
internal import Reachability
internal import StateClient

/// The agent's status as people read it in trouble: the answer first, then what is wrong, then what it rests on.
struct StatusText {
    /// The width of the labels in front of everything.
    static let labelWidth = 14

    /// A space at which no line is broken; in the end it is one like all others.
    static let unbreakable: Character = "\u{A0}"

    let reply: StatusReply
    let style: TerminalStyle
    let clock: ClockText

    /// A text of a reply.
    ///
    /// - Parameters:
    ///   - now: What ages are counted from where the agent does not tell its time.
    ///   - local: How a moment is written in the local zone.
    init(
        _ reply: StatusReply,
        style: TerminalStyle,
        now: Timestamp,
        local: @escaping (Timestamp) -> String = \.localDescription
    ) {
        self.reply = reply
        self.style = style
        clock = ClockText(now: reply.time ?? now, local: local)
    }

    /// The whole text.
    var text: String {
        let head = painted(headline, colour) + pending + problems
        let parts = [head, paths, hooks, targets, probes, uplinks, certificates, interfaces, changes, agent]
            .filter { !$0.isEmpty }
        let text = parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
        return String(text.map { $0 == Self.unbreakable ? " " : $0 })
    }

    /// Whether the first line says so.
    var isReachable: Bool { reply.reachability.state?.isReachable == true }

    /// Green for what works as far as is known, yellow for what works in part, red for nothing.
    private var colour: TerminalStyle.Colour {
        guard let state = reply.reachability.state, state.isReachable else { return .red }
        switch state.connectivity {
        case "portal", "partial": return .yellow
        case "local", "none": return .red
        default: return .green
        }
    }

    // MARK: The answer

    private var headline: [String] {
        let standing = reply.reachability
        let isBeyond = standing.state.map { $0.isReachable && says($0) } ?? false
        // What else changed since then is among the changes: how long the whole answer is this one is the question here.
        let path = (since: standing.viaSince ?? standing.since, age: standing.viaAge ?? standing.age)
        let beyond = (since: standing.connectivitySince, age: standing.connectivityAge)
        let isLater = (beyond.age ?? .zero) < (path.age ?? .zero)
        let newest = isBeyond && beyond.since != nil && isLater ? beyond : path
        let since = moment(newest.since, age: newest.age)
        let when = since.map { ", since \($0)" } ?? ""
        return wrapped("\(answer(standing.state))\(when)")
    }

    private func answer(_ state: StatusReply.State?) -> String {
        guard let state, let via = state.via, via != "unknown" else {
            return "not known: the kernel has not answered yet"
        }
        guard state.isReachable else { return "not reachable: \(reason(state.path, fallback: state.reason))" }
        let families = [(state.ipv4, "IPv4"), (state.ipv6, "IPv6")].filter { $0.0?.isReachable == true }.map(\.1)
        let which = families.isEmpty ? "" : " (\(families.joined(separator: "+")))"
        let path = "\(words(state.path, via: via))\(which)"
        return connectivity(state).map { "\(path), \($0)" } ?? "reachable through \(path)"
    }

    private var pending: [String] {
        guard let pending = reply.reachability.pending else { return [] }
        var text = "about to change: \(answer(pending.state))"
        if let since = moment(pending.since, age: pending.age) { text += ", since \(since)" }
        return painted(wrapped(text), .yellow)
    }

    // MARK: Words

    /// A moment and how long ago it was: `14:02:11+01:00, 3 h 12 min ago`.
    func moment(_ moment: Timestamp?, age: Duration?) -> String? {
        guard let moment else { return nil }
        return kept("\(clock.text(moment)),") + " " + kept(clock.age(of: moment, age: age))
    }

    /// A text that stays on one line.
    func kept(_ text: String) -> String { String(text.map { $0 == " " ? Self.unbreakable : $0 }) }

    /// A path that is usable: `wwan wg0 over wwan0`.
    func words(_ path: StatusReply.Path?, via: String?) -> String {
        var words = safe(path?.via ?? via ?? "unknown")
        if let interface = path?.interface { words += " \(safe(interface))" }
        if let underlay = path?.underlay { words += " over \(safe(underlay))" }
        if let legs = path?.deadLegs { words += SummaryText.deadLegs(legs.map { safe($0) }) }
        return words
    }

    /// Why a path is not usable, with the code: `no carrier on eth0 [link_down]`.
    func reason(_ path: StatusReply.Path?, fallback: String? = nil) -> String {
        guard let code = path?.reason ?? fallback else { return "no reason is given" }
        let interface = path?.interface.map { safe($0) }
        return "\(sentence(code, interface)) [\(safe(code))]"
    }

    private func sentence(_ code: String, _ interface: String?) -> String {
        let name = interface ?? "the interface"
        switch ReasonCode(rawValue: code) {
        case .linkDown:
            let state = reply.interfaces.first { $0.name.map { safe($0) } == interface && $0.isUsable == false }?.state
            switch state {
            case "no carrier": return "no carrier on \(name)"
            case let state?: return "\(name) is \(safe(state))"
            case nil: return "\(name) is down"
            }
        case .linkDormant: return "\(name) is associated and waits for its keys"
        case .leadsNowhere: return "\(name) leads nowhere"
        case .noAddress: return "\(name) has no address to send from"
        case .addressTentative: return "the address of \(name) is still being checked for duplicates"
        case .noRoute: return "no route"
        case .routeUnreachable: return "a route or rule of type 'unreachable' refuses it"
        case .routeBlackhole: return "a route or rule of type 'blackhole' swallows it"
        case .routeProhibited: return "a route or rule of type 'prohibit' forbids it"
        case .underlayDown: return "what carries the tunnel \(interface ?? "") has no way out"
        case .lookupFailed: return "the kernel refused to look the route up"
        case .portalSuspected: return "certificates of somebody else, as behind a captive portal"
        case .tlsIntercepted: return "somebody answers in the targets' place over TLS"
        case .httpsUnreachable: return "HTTP works, and HTTPS does not"
        case .quorumMissed: return "too few of the required probes are up"
        case nil: return "for a reason that this version does not know"
        }
    }

    /// A text of the agent's as a terminal may show it.
    func safe(_ text: String) -> String { ForeignText.shown(text, limit: 200) }

    // MARK: Lines

    /// A text over as many lines as it takes; all but the first are indented.
    func wrapped(_ text: String) -> [String] {
        var block = TextBlock(columns: style.columns)
        block.add(text, hanging: 2)
        return block.lines
    }

    /// Lines of a label and a text each.
    func labelled(_ rows: [(label: String, text: String)]) -> [String] {
        labelled(rows.map { ($0.label, $0.text, nil) })
    }

    /// Lines of a label and a text each, some in a colour.
    func labelled(_ rows: [(label: String, text: String, colour: TerminalStyle.Colour?)]) -> [String] {
        let widest = rows.map(\.label.count).max() ?? 0
        let width = max(Self.labelWidth, min(widest + 2, style.columns / 2))
        return rows.flatMap { row in
            // A space always stands between a label that is too long and the text.
            let label = row.label.count < width ? row.label : row.label + " "
            var block = TextBlock(columns: style.columns)
            block.add(label, row.text, indent: 2, labelWidth: width)
            return row.colour.map { painted(block.lines, $0) } ?? block.lines
        }
    }

    /// A section with a title.
    func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [style.paint(title, .bold)] + lines
    }

    /// Lines in one colour.
    func painted(_ lines: [String], _ colour: TerminalStyle.Colour) -> [String] {
        lines.map { style.paint($0, colour) }
    }
}
