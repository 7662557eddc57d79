extension HookEvent.Side {
    /// Whether a request can be expected to arrive: all is well, or nobody knows and there is a path.
    var isOnline: Bool {
        switch connectivity {
        case "full": true
        case "unknown": via.map { $0 != "none" && $0 != "unknown" } ?? false
        default: false
        }
    }
}
