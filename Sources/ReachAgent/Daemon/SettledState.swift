internal import NetlinkMonitor
internal import Reachability

/// A settled state, the time since which it has held, and the state that may replace it.
struct SettledState<State: Sendable & Equatable>: Sendable, Equatable {
    /// A state that was observed and has not held long enough.
    struct Pending: Sendable, Equatable {
        /// The state as it was observed last.
        var state: State
        /// The time at which the observed state began to differ from the settled one.
        var since: ObservedTime
        /// The cause of the change.
        var cause: ChangeCause
    }

    /// The settled state.
    private(set) var state: State
    /// The time of its publication; `nil` while nothing was published.
    private(set) var since: ObservedTime?
    /// The time at which it was first observed, before it settled; `nil` while nothing was published.
    private(set) var observed: ObservedTime?
    /// The time since which `via` has been the same, whatever else changed; `nil` while nothing was published.
    private(set) var viaSince: ObservedTime?
    /// The time since which the connectivity has been the same, whatever else changed; `nil` while it is unknown.
    private(set) var connectivitySince: ObservedTime?
    /// The cause of the change; `nil` while nothing was published.
    private(set) var cause: ChangeCause?
    /// The state that is observed now, if it is another one.
    private(set) var pending: Pending?

    /// A state that was not published.
    init(unknown state: State) { self.state = state }

    /// Records a raw change.
    ///
    /// - Parameters:
    ///   - change: The change, as it was observed.
    ///   - isSettled: Whether the new state is the published one, as far as raw changes show it.
    mutating func observe(_ change: Change<State>, isSettled: Bool? = nil) {
        guard !(isSettled ?? (change.to == state)) else { return pending = nil }
        pending = Pending(state: change.to, since: pending?.since ?? change.observed, cause: change.cause)
    }

    /// Records a settled change.
    ///
    /// - Parameters:
    ///   - change: The change that was published.
    ///   - time: The time of its publication.
    ///   - keepsVia: Whether `via` is the same as before.
    ///   - keepsConnectivity: Whether the probes report the same as before; `nil` if they report nothing.
    ///   - isSettled: `true` if the pending state is the published one, as far as raw changes show it.
    mutating func settle(
        _ change: Change<State>,
        at time: ObservedTime,
        keepsVia: Bool,
        keepsConnectivity: Bool? = nil,
        isSettled: Bool? = nil
    ) {
        state = change.to
        since = time
        observed = change.observed
        if !keepsVia || viaSince == nil { viaSince = time }
        connectivitySince = keepsConnectivity.map { $0 ? connectivitySince ?? time : time }
        cause = change.cause
        // A family, a verdict or flapping is published while another part of the state waits.
        if isSettled ?? (pending?.state == state) { pending = nil }
    }
}
