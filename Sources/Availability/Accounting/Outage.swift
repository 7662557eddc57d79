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
    /// The maximum number of listed outages of a subject.
    private static let maximumListed = 10_000
    /// The maximum of all subjects together: each suspend ends the outages of all of them.
    private static let maximumOfAll = 100_000

    private var limit = maximumListed
    private(set) var listed: [Outage] = []
    private(set) var count = 0
    private(set) var longest: Outage?
    /// The time of all outages by the segment of each.
    private(set) var bySegment: [Segment: Int64] = [:]
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
        bySegment[outage.attribution.segment, default: 0] += outage.duration
        if listed.count < limit { listed.append(outage) }
    }

    /// Limits the list to an equal part of the maximum of all subjects.
    mutating func share(among subjects: Int) {
        limit = min(Self.maximumListed, Self.maximumOfAll / subjects)
        if listed.count > limit { listed = Array(listed.prefix(limit)) }
    }
}
