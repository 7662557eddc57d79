internal import AgentEvents
internal import ForeignText

/// The state of a device as a fleet has it: the words of the connectivity, and what only the distance brings.
enum DeviceState: String, Sendable, Hashable, CaseIterable {
    // In the order of their urgency.
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

/// The default path of a device, as its newest event has it.
struct DevicePath: Sendable, Hashable {
    var connectivity: Connectivity?
    var via: Via
    var interface: String?
    /// The code of the reason for anything but `full`, and the probe that it is of.
    var reason: String?
    var probe: String?
    /// The moment at which the device saw the change.
    var since: Timestamp

    init(_ change: StateChange) {
        let state = change.to
        connectivity = state.isReachable ? state.connectivity : Connectivity.none
        via = Via(bounded(state.via.rawValue))
        interface = state.path.interface.map(bounded)
        reason = (state.connectivityReason ?? state.path.reason ?? state.reason).map(bounded)
        probe = state.connectivityProbe.map(bounded)
        since = change.observed
    }
}

/// An uplink of a device, as its newest event has it.
struct DeviceUplink: Sendable, Hashable {
    var interface: String
    var kind: String
    var connectivity: String
    var reason: String?
    var isUsed: Bool

    init(_ uplink: Uplink) {
        interface = bounded(uplink.interface)
        kind = bounded(uplink.kind)
        connectivity = bounded(uplink.connectivity.rawValue)
        reason = uplink.reason.map { bounded($0.code) }
        isUsed = uplink.isUsed
    }
}

/// The beginning of a stranger's text, as much as a table can show: a device cannot make the table large.
private func bounded(_ text: String) -> String { ForeignText.shown(text, limit: 64) }
