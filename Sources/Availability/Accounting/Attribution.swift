/// The part of the path to the target that an outage is attributed to.
public enum Segment: String, Sendable, Hashable, CaseIterable {
    /// This machine: a link that is down, or a missing address, route or device.
    case machine
    /// The Wi-Fi link.
    case wifi
    /// The modem's link.
    case modem
    /// The next hop of the default route.
    case firstHop = "first_hop"
    /// The network behind a first hop that answers.
    case provider
    /// A captive portal.
    case portal
    /// One target, while others answer over the same path.
    case target
    /// The events do not determine the cause; the attribution names what is missing.
    case undetermined
}

/// A fact that an event of the journal proves.
public struct Evidence: Sendable, Hashable {
    /// The kind of fact.
    public enum Kind: String, Sendable, Hashable {
        /// The reason of a state.
        case reason
        /// The cause of a change.
        case cause
        /// A probe that was up.
        case probeUp = "probe_up"
        /// A probe that was down.
        case probeDown = "probe_down"
        /// Another uplink over which probes were up.
        case uplinkUp = "uplink_up"
    }

    /// The kind of fact.
    public var kind: Kind
    /// The code of the reason, the cause or the verdict.
    public var code: String
    /// The interface or the probe concerned.
    public var subject: String?
    /// The number of the event.
    public var sequence: UInt64
}

/// The segment that an outage is attributed to, with the evidence.
public struct Attribution: Sendable, Hashable {
    /// Evidence that the events do not contain.
    public enum Missing: String, Sendable, Hashable {
        /// No check of the first hop.
        case firstHop = "first_hop"
        /// No second target down over this uplink, and no other uplink over which targets are up.
        case secondTarget = "second_target"
        /// No other target over the same path.
        case otherTarget = "other_target"
        /// No reason that identifies the failed part.
        case reason
    }

    /// The segment.
    public var segment: Segment
    /// The code of the cause.
    public var code: String
    /// The interface concerned.
    public var interface: String?
    /// The facts, at most `maximumEvidence`.
    public var evidence: [Evidence]
    /// The evidence that would have been decisive; `nil` unless the segment is ``Segment/undetermined``.
    public var missing: [Missing] = []

    /// The maximum number of facts for an outage.
    static let maximumEvidence = 6
}
