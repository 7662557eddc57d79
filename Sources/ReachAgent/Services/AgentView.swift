internal import NetlinkMonitor
internal import Reachability

/// What the agent knows at one moment.
struct AgentView: Sendable {
    /// The kernel's view.
    var snapshot: NetworkSnapshot
    /// The state, as it was published.
    var state: ReachabilityState
    /// The targets' states.
    var targets: [(target: Target, state: TargetState)]
    /// The number of the last event whose effect the rest shows.
    var sequence: UInt64
}
