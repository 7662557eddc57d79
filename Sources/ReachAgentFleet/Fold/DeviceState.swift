internal import AgentEvents
internal import ForeignText

/// The state of a device in a fleet: the values of the connectivity, and the states that only a remote reader observes.
enum DeviceState: String, Sendable, Hashable, CaseIterable {
    // In order of urgency.
    case none, local, portal, silent, stopped, partial, unknown, full

    /// The position in the order of urgency.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    init(_ connectivity: Connectivity?) {
        self =
            switch connectivity {
            case .none?: .none
            case .local?: .local
            case .portal?: .portal
            case .partial?: .partial
            case .full?: .full
            default: .unknown
            }
    }
}

/// The default path of a device, according to its newest event.
struct DevicePath: Sendable, Hashable {
    var connectivity: Connectivity?
    var via: Via
    var interface: String?
    /// The code of the reason if the connectivity is not `full`, and the probe with that code.
    var reason: String?
    var probe: String?
    /// The moment at which the device saw the change.
    var since: Timestamp

    init(_ change: StateChange) { self.init(change.to, since: change.observed) }

    init(_ state: ReachabilityState, since: Timestamp) {
        // Bounded before any comparison, which may cost the square of the length.
        via = Via(bounded(state.via.rawValue))
        let stated = via.isReachable ? state.connectivity : Connectivity.none
        connectivity = stated.map { Connectivity(bounded($0.rawValue)) }
        interface = state.path.interface.map(bounded)
        reason = (state.connectivityReason ?? state.path.reason ?? state.reason).map(bounded)
        probe = state.connectivityProbe.map(bounded)
        self.since = since
    }

    /// Returns whether another path has the same state, since whatever moment.
    func hasState(of other: DevicePath) -> Bool {
        var other = other
        other.since = since
        return self == other
    }
}

/// An uplink of a device, according to its newest event.
struct DeviceUplink: Sendable, Hashable {
    var interface: String
    var kind: String
    var connectivity: String
    var reason: String?
    var isUsed: Bool
    /// The number of the event.
    var sequence: UInt64
    /// `false` for an interface that has gone, or has lost its default route.
    var isPresent: Bool { isUsed || connectivity != Connectivity.none.rawValue || reason != "no_route" }

    init(_ uplink: Uplink, _ sequence: UInt64) {
        self.sequence = sequence
        interface = bounded(uplink.interface)
        kind = bounded(uplink.kind)
        connectivity = bounded(uplink.connectivity.rawValue)
        reason = uplink.reason.map { bounded($0.code) }
        isUsed = uplink.isUsed
    }
}

/// Returns the start of an untrusted text, as much as a table can show: a device cannot make the table large.
private func bounded(_ text: String) -> String { ForeignText.shown(text, limit: 64) }
