/// The reachability during a period: every microsecond has exactly one condition.
public enum Condition: Sendable, Hashable {
    /// Every required probe answers.
    case full
    /// Some, but not all, required probes answer.
    case partial
    /// A captive portal answers.
    case portal
    /// There is a path, but nothing beyond it answers.
    case local
    /// There is no path; for a probe, its target is down.
    case none
    /// Nothing is known, for the given reason.
    case unknown(UnknownReason)

    /// The reason that nothing is known.
    public enum UnknownReason: String, Sendable, Hashable, CaseIterable {
        /// The agent was stopped.
        case agentOff = "agent_off"
        /// The agent ended without a last event: from its last event to its next start.
        case agentCrashed = "agent_crashed"
        /// The machine was suspended.
        case suspended
        /// There are no probes, or none had a verdict.
        case noProbe = "no_probe"
        /// Of a single probe: it had no verdict, as without a path, out of its budget, or after it was removed.
        case notChecked = "not_checked"
        /// The journal does not cover the time: before its first event, after its last one, or in a gap.
        case noData = "no_data"
        /// The clock had not been set yet.
        case clockNotSet = "clock_not_set"

        /// The reason in words.
        var phrase: String { rawValue.replacing("_", with: " ") }
    }

    /// Every condition, in the order of reports.
    public static let allCases: [Condition] =
        [.full, .partial, .portal, .local, .none] + UnknownReason.allCases.map(Condition.unknown)

    /// The six words of a report, in its order.
    public static let words = ["full", "partial", "portal", "local", "none", "unknown"]

    /// The word of the condition, which is the same for each ``UnknownReason``.
    public var word: String { Self.words[min(index, 5)] }

    /// The position in ``allCases``.
    var index: Int {
        switch self {
        case .full: 0
        case .partial: 1
        case .portal: 2
        case .local: 3
        case .none: 4
        case .unknown(.agentOff): 5
        case .unknown(.agentCrashed): 6
        case .unknown(.suspended): 7
        case .unknown(.noProbe): 8
        case .unknown(.notChecked): 9
        case .unknown(.noData): 10
        case .unknown(.clockNotSet): 11
        }
    }

    /// True for ``full`` and ``partial``.
    var isAvailable: Bool { index < 2 }

    /// True for ``portal``, ``local`` and ``none``.
    public var isOutage: Bool { (2...4).contains(index) }
}

/// The microseconds of each condition.
public struct Tally: Sendable, Hashable {
    private var microseconds = [Int64](repeating: 0, count: Condition.allCases.count)
    /// The losses of a path over which probes had last had a verdict.
    private var judgedLosses: Int64 = 0
    /// The losses of a path over which no probe had one.
    private var unjudgedLosses: Int64 = 0

    /// Creates a tally of no time.
    public init() {}

    /// The microseconds of a condition.
    public subscript(_ condition: Condition) -> Int64 { microseconds[condition.index] }

    /// The duration of the window.
    public var total: Int64 { microseconds.reduce(0, +) }
    /// The available time.
    public var available: Int64 { microseconds[0] + microseconds[1] }
    /// The time of outages.
    public var unavailable: Int64 { microseconds[2] + microseconds[3] + microseconds[4] }
    /// The unknown time.
    public var unknown: Int64 { microseconds[5...].reduce(0, +) }
    /// The known time.
    public var known: Int64 { available + unavailable }

    /// True if a path was there, now or before it was lost, but no probe had a verdict: only the time without a path is known
    /// then, and no share of the time follows from it.
    ///
    /// In an outage of a path with verdicts, probes lack them just because of the outage.
    public var lacksVerdicts: Bool {
        microseconds[..<4].allSatisfy { $0 == 0 } && judgedLosses == 0
            && (self[.unknown(.noProbe)] > 0 || unjudgedLosses > 0)
    }

    /// The microseconds of each of ``Condition/words``.
    public var byWord: [Int64] { microseconds[..<5] + [unknown] }

    /// - Parameter followsVerdict: True if probes had a verdict when there was last a path; nil if that is not known.
    mutating func add(_ duration: Int64, of condition: Condition, followsVerdict: Bool?) {
        microseconds[condition.index] += duration
        guard condition == .none, let followsVerdict else { return }
        if followsVerdict { judgedLosses += duration } else { unjudgedLosses += duration }
    }

    mutating func add(_ other: Tally) {
        judgedLosses += other.judgedLosses
        unjudgedLosses += other.unjudgedLosses
        for index in microseconds.indices { microseconds[index] += other.microseconds[index] }
    }
}
