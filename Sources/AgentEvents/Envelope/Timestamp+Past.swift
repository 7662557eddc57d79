// A past time must not stay that of a clock that was wrong: a device without a battery-backed clock starts in 1970, and its
// readers, people and alerts, compare what happened before its clock was set with the present time.
extension Timestamp {
    /// Returns the time of this past moment by the wall clock as it is set now.
    ///
    /// The clock was set since then if less or more of its time has passed than of another one. That counts in whole seconds:
    /// both are read one after the other, and the time must not change with each reading.
    ///
    /// - Parameters:
    ///   - elapsed: The time since then by a clock that is never set.
    ///   - now: The present time of the wall clock.
    package func moved(elapsed: Duration, until now: Timestamp) -> Timestamp {
        let step = now.microsecondsSince1970 &- microsecondsSince1970 &- elapsed.microseconds
        let seconds = (step &+ step.signum() &* 500_000) / 1_000_000
        return Timestamp(microsecondsSince1970: microsecondsSince1970 &+ seconds &* 1_000_000)
    }
}
