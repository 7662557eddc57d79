/// The result of matching a hook with an event.
public enum HookMatch: Sendable, Hashable {
    /// The hook runs.
    case matches
    /// The hook is for events of other types.
    case type
    /// The event is the state at the agent's start, and the hook does not have `at_start`.
    case atStartOnly
    /// A probe is `unknown` because of a captive portal, and the hook does not list that cause.
    case behindPortal
    /// A condition of `when` does not hold.
    ///
    /// - Parameters:
    ///   - name: The condition's key, such as `to_via`.
    ///   - wanted: The values of the condition.
    ///   - found: The value of the event; nil if it has none.
    case filter(name: String, wanted: [String], found: String?)
}

extension HookMatch: CustomStringConvertible {
    /// A short explanation; values of the event are unmodified.
    public var description: String {
        switch self {
        case .matches: "it runs"
        case .type: "it is for events of other types"
        case .atStartOnly: "it has no 'at_start', and the event is the state at the agent's start"
        case .behindPortal: "a captive portal answers, and 'cause' does not ask for behind_portal"
        case .filter(let name, let wanted, let found):
            "'\(name)' asks for \(wanted.joined(separator: " or ")), and the event says \(found ?? "nothing of it")"
        }
    }
}
