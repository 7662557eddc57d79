internal import Availability

/// The availability of a device in a window.
struct DeviceFigures: Sendable, Hashable {
    /// The microseconds in which something beyond the first hop answered.
    var available: Int64
    /// The microseconds of outages.
    var unavailable: Int64
    /// The microseconds of unknown time.
    var unknown: Int64
    /// The number of outages.
    var outages: Int
    /// The longest outage, in microseconds.
    var longest: Int64
    /// The segment with the most outage time.
    var segment: Segment?

    /// The microseconds of known time; 0 where no probe had a verdict.
    var known: Int64
    /// The microseconds of all time.
    var total: Int64 { available + unavailable + unknown }

    /// Creates the figures of the default path; `nil` for an account without one.
    init?(_ account: Account) {
        guard let path = account.subjects.first else { return nil }
        available = path.tally.available
        unavailable = path.tally.unavailable
        unknown = path.tally.unknown
        known = path.tally.lacksVerdicts ? 0 : path.tally.known
        outages = path.outageCount
        longest = path.longest?.duration ?? 0
        segment = path.unavailableBySegment.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }

    /// Returns the error budget of the known time; `nil` if nothing is known.
    func budget(_ objective: Objective) -> (allowed: Int64, left: Int64)? {
        guard known > 0 else { return nil }
        let allowed = objective.budget(of: known)
        return (allowed, allowed - unavailable)
    }
}
