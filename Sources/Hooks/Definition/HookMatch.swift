/// Whether a hook runs for an event, and if not, what is against it.
public enum HookMatch: Sendable, Hashable {
    /// It runs.
    case matches
    /// It is for events of other types.
    case type
    /// The event is the state that the agent found when it started, and the hook does not have `at_start`.
    case atStartOnly
    /// A probe is `unknown` because a captive portal answers, and the hook does not ask for that cause.
    case behindPortal
    /// A condition of `when` does not hold.
    ///
    /// - Parameters:
    ///   - name: The condition's key, such as `to_via`.
    ///   - wanted: What it asks for.
    ///   - found: What the event says; nil when it says nothing of that kind.
    case filter(name: String, wanted: [String], found: String?)
}

extension HookMatch: CustomStringConvertible {
    /// The same in a few words; what an event said stands in them as it was.
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
