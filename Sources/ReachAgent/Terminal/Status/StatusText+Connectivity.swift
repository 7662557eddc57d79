internal import EventEnvelope
internal import ForeignText
internal import Probes
internal import Reachability
internal import StateClient

/// What lies beyond the first hop, in words: what is the matter, why, and what to do.
extension StatusText {
    /// Whether the probes say anything of a state.
    func says(_ state: StatusReply.State) -> Bool {
        guard let connectivity = state.connectivity else { return false }
        return connectivity != "unknown" || state.connectivityReason?.code != nil
    }

    /// What the probes say, for the first line; `nil` when they say nothing.
    func connectivity(_ state: StatusReply.State) -> String? {
        guard let connectivity = state.connectivity, says(state) else { return nil }
        let reason = state.connectivityReason
        let words = reason.flatMap { because($0) }
        switch connectivity {
        case "full": return "full: everything that is required answers"
        case "portal":
            let door = reason?.portalURL.map { "log in at \(address($0))" } ?? "log in with a browser"
            return "portal: \(door)" + (reason?.code.map { " [\(safe($0))]" } ?? "")
        case "local": return "local: nothing beyond the first hop answers" + (words.map { "; \($0)" } ?? "")
        case "partial": return "partial: " + (words ?? "not everything that is required answers")
        case "unknown": return "not known how far" + (words.map { ": \($0)" } ?? "")
        default: return safe(connectivity) + (words.map { ": \($0)" } ?? "")
        }
    }

    /// The rows below the families: each family where they differ, why it is so, and what to do about it.
    func beyond(_ state: StatusReply.State) -> [(label: String, text: String)] {
        guard let connectivity = state.connectivity, connectivity != "none" else { return [] }
        guard says(state) else {
            let isProbed = !reply.probes.isEmpty
            let why = isProbed ? "no probe has come to a verdict" : "no probe is configured, only the kernel was asked"
            return connectivity == "unknown" ? [("connectivity", "not known\(isProbed ? " yet" : ""): \(why)")] : []
        }
        var rows: [(label: String, text: String)] = []
        let families = [("IPv4", state.ipv4Connectivity), ("IPv6", state.ipv6Connectivity)].compactMap { name, value in
            value.flatMap { $0 == "unknown" ? nil : "\(name) \(safe($0))" }
        }
        if families.count > 1 { rows.append(("connectivity", families.joined(separator: ", "))) }
        if let reason = state.connectivityReason, let explanation = explanation(reason) {
            rows.append(("reason", explanation.meaning))
            if let remedy = explanation.remedy { rows.append(("what to do", remedy)) }
        }
        return rows
    }

    /// An address that a person is to open: never broken, and longer than other texts.
    func address(_ url: String) -> String { kept(ForeignText.line(url)) }

    /// `web fails [tls_expired]`, or what several probes say together.
    func because(_ reason: StatusReply.Reason) -> String? {
        guard let code = reason.code else { return nil }
        if let probe = reason.probe { return "\(safe(probe)) fails [\(safe(code))]" }
        return self.reason(nil, fallback: code)
    }

    /// What a check's code means, and what to do about it.
    private func explanation(_ reason: StatusReply.Reason) -> (meaning: String, remedy: String?)? {
        guard let code = reason.code else { return nil }
        if reason.probe != nil || ReasonCode(rawValue: code) == nil, let finding = FindingCode(rawValue: code) {
            let who = reason.probe.map { "\(safe($0)): " } ?? ""
            return ("\(who)\(finding.sentence)", finding.remedy)
        }
        return ReasonCode(rawValue: code).map { ($0.sentence, remedy($0)) }
    }

    /// What to do about what several probes say together.
    private func remedy(_ code: ReasonCode) -> String? {
        switch code {
        case .portalSuspected:
            "Open a page without TLS in a browser: a portal may want a login. A probe with 'portal = true' tells for certain."
        case .tlsIntercepted:
            "Find out who answers, a firewall that inspects or somebody else, and send nothing secret until then."
        case .httpsUnreachable:
            "Look for what blocks or breaks port 443: a firewall, a proxy, or packets that are too large."
        case .quorumMissed: "See below which probes are not up."
        case .linkDown, .linkDormant, .leadsNowhere, .noAddress, .addressTentative, .noRoute, .routeUnreachable,
            .routeBlackhole,
            .routeProhibited, .underlayDown, .lookupFailed:
            nil
        }
    }
}
