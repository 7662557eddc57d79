internal import AgentEvents

extension Timestamp {
    /// Returns the time from this timestamp to `later`; negative when the clock was set back in between.
    func age(at later: Timestamp) -> Duration {
        let (microseconds, overflow) = later.microsecondsSince1970.subtractingReportingOverflow(microsecondsSince1970)
        guard overflow else { return .microseconds(microseconds) }
        return .microseconds(later.microsecondsSince1970 > microsecondsSince1970 ? Int64.max : .min)
    }
}
