public import AgentEvents

/// A continuous period without availability: ``Condition/portal``, ``Condition/local`` or ``Condition/none``.
public struct Outage: Sendable, Hashable {
    /// The end of an outage.
    public enum Ending: Sendable, Hashable {
        /// Something answers again.
        case recovered
        /// Nothing is known about the time after it.
        case unknown(Condition.UnknownReason)
        /// The window ends first.
        case windowEnd

        /// The word in a report.
        public var word: String {
            switch self {
            case .recovered: "recovered"
            case .unknown(let reason): reason.rawValue
            case .windowEnd: "window_end"
            }
        }

        /// The same for people; `nil` if something answers again.
        var phrase: String? {
            switch self {
            case .recovered: nil
            case .unknown(let reason): "then unknown: \(reason.phrase)"
            case .windowEnd: "still going on at the end"
            }
        }
    }

    /// The first moment of the outage within the window.
    public var begin: Timestamp
    /// The first moment after the outage.
    public var end: Timestamp
    /// True if it started before the window.
    public var isContinued: Bool
    /// The reason for its end.
    public var ending: Ending
    /// The segment of the longest part; the earlier one of two equal ones.
    public var attribution: Attribution

    /// The duration in microseconds.
    public var duration: Int64 { end.microsecondsSince1970 - begin.microsecondsSince1970 }
}

/// The outages of an account: each of them, up to a maximum, and the totals.
struct OutageLog: Sendable {
    /// The maximum number of listed outages; the totals include all of them.
    static let maximumListed = 10_000

    private(set) var listed: [Outage] = []
    private(set) var count = 0
    private(set) var longest: Outage?
    private var open: (outage: Outage, parts: [(attribution: Attribution, duration: Int64)])?
    /// True if something answered again at the end of the open outage.
    private var hasRecovered = false

    /// - Parameter recovers: True if something answered again at the end.
    mutating func add(start: Int64, end: Int64, isContinued: Bool, recovers: Bool, _ state: TrackState) {
        guard state.condition.isOutage else {
            if case .unknown(let reason) = state.condition {
                close(.unknown(reason))
            } else {
                close(.recovered)
            }
            return
        }
        hasRecovered = recovers
        let attribution =
            state.attribution
            ?? Attribution(segment: .undetermined, code: state.condition.word, evidence: [], missing: [.reason])
        if open == nil {
            let begin = Timestamp(microsecondsSince1970: start)
            let outage = Outage(
                begin: begin,
                end: begin,
                isContinued: isContinued,
                ending: .windowEnd,
                attribution: attribution
            )
            open = (outage, [])
        }
        open?.outage.end = Timestamp(microsecondsSince1970: end)
        if let known = open?.parts.firstIndex(where: { $0.attribution.segment == attribution.segment }) {
            open?.parts[known].duration += end - start
        } else {
            open?.parts.append((attribution, end - start))
        }
    }

    mutating func close(_ ending: Outage.Ending = .windowEnd) {
        guard let open else { return }
        self.open = nil
        var outage = open.outage
        outage.ending = hasRecovered ? .recovered : ending
        hasRecovered = false
        var most: Int64 = 0
        for part in open.parts where part.duration > most { (outage.attribution, most) = part }
        count += 1
        if outage.duration > longest?.duration ?? 0 { longest = outage }
        if listed.count < Self.maximumListed { listed.append(outage) }
    }
}

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
