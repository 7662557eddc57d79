internal import StateClient

/// States in a few words.
enum OnlineText {
    /// `reachable through wwan wg0 over wwan0, connectivity full`, or `not reachable (link_down)`.
    static func state(_ state: StatusReply.State) -> String {
        let words = path(state)
        guard let connectivity = state.connectivity, state.isReachable else { return words }
        return "\(words), connectivity \(SafeText.of(connectivity, limit: 32))"
    }

    /// The same without the connectivity.
    static func path(_ state: StatusReply.State) -> String {
        guard let via = state.via, via != "unknown" else { return "not known yet" }
        guard state.isReachable else {
            let reason = state.reason ?? state.path?.reason
            let interface = state.path?.interface.map { " \($0)" } ?? ""
            return "not reachable" + (reason.map { " (\(SafeText.of($0 + interface, limit: 64)))" } ?? "")
        }
        var words = "reachable through \(via)"
        if let interface = state.path?.interface { words += " \(interface)" }
        if let underlay = state.path?.underlay { words += " over \(underlay)" }
        return SafeText.of(words, limit: 128)
    }
}
