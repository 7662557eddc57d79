internal import AgentEvents
internal import ForeignText

/// States in a few words.
enum OnlineText {
    /// `reachable through wwan wg0 over wwan0, connectivity partial (tls_expired web)`, or `not reachable (link_down)`.
    static func state(_ state: ReachabilityState) -> String {
        var words = path(state)
        guard let connectivity = state.connectivity, state.isReachable else { return words }
        words += ", connectivity \(ForeignText.shown(connectivity.rawValue, limit: 32))"
        if let code = state.connectivityReason {
            let because = [code, state.connectivityProbe].compactMap { $0.map { ForeignText.shown($0, limit: 64) } }
            words += " (\(because.joined(separator: " ")))"
            if let url = state.portalURL { words += ", log in at \(ForeignText.line(url))" }
        }
        return words + (state.isFlapping ? ", flapping" : "")
    }

    /// The same without the connectivity.
    static func path(_ state: ReachabilityState) -> String {
        guard state.via != .unknown else { return "not known yet" }
        guard state.isReachable else {
            let reason = state.reason ?? state.path.reason
            let interface = state.path.interface.map { " \($0)" } ?? ""
            return "not reachable" + (reason.map { " (\(ForeignText.shown($0 + interface, limit: 64)))" } ?? "")
        }
        var words = "reachable through \(state.via)"
        if let interface = state.path.interface { words += " \(interface)" }
        if let underlay = state.path.underlay?.interface { words += " over \(underlay)" }
        return ForeignText.shown(words, limit: 128)
    }
}
