internal import ForeignText
internal import StateClient

/// States in a few words.
enum OnlineText {
    /// `reachable through wwan wg0 over wwan0, connectivity partial (tls_expired web)`, or `not reachable (link_down)`.
    static func state(_ state: StatusReply.State) -> String {
        var words = path(state)
        guard let connectivity = state.connectivity, state.isReachable else { return words }
        words += ", connectivity \(ForeignText.shown(connectivity, limit: 32))"
        if let reason = state.connectivityReason {
            let because = [reason.code, reason.probe].compactMap { $0.map { ForeignText.shown($0, limit: 64) } }
            if !because.isEmpty { words += " (\(because.joined(separator: " ")))" }
            if let url = reason.portalURL { words += ", log in at \(ForeignText.line(url))" }
        }
        return words + (state.isFlapping == true ? ", flapping" : "")
    }

    /// The same without the connectivity.
    static func path(_ state: StatusReply.State) -> String {
        guard let via = state.via, via != "unknown" else { return "not known yet" }
        guard state.isReachable else {
            let reason = state.reason ?? state.path?.reason
            let interface = state.path?.interface.map { " \($0)" } ?? ""
            return "not reachable" + (reason.map { " (\(ForeignText.shown($0 + interface, limit: 64)))" } ?? "")
        }
        var words = "reachable through \(via)"
        if let interface = state.path?.interface { words += " \(interface)" }
        if let underlay = state.path?.underlay { words += " over \(underlay)" }
        return ForeignText.shown(words, limit: 128)
    }
}
