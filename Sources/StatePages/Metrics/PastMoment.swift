package import AgentEvents

// A metric must not keep the time of a clock that was wrong: a device without a battery-backed clock starts in 1970, and
// alerts compare what happened before its clock was set with the present time.
extension Timestamp {
    /// The time in seconds since 1970.
    var seconds: Double { Double(microsecondsSince1970) / 1_000_000 }

    /// Returns the time of a past moment in seconds since 1970, by the wall clock as it is set now.
    ///
    /// The clock was set since then if less or more of its time has passed than of another one. That counts in whole seconds:
    /// both are read one after the other, and a metric must not change with each scrape.
    ///
    /// - Parameters:
    ///   - elapsed: The time since then by a clock that is never set.
    ///   - now: The present time of the wall clock.
    package func seconds(elapsed: Duration, until now: Timestamp) -> Double {
        seconds + (now.seconds - seconds - elapsed / .seconds(1)).rounded()
    }
}

extension AgentStatus {
    /// Returns the time of a moment of the status in seconds since 1970, by the wall clock as it was set at its own moment;
    /// `nil` without a moment.
    ///
    /// - Parameters:
    ///   - moment: The moment as it was stamped.
    ///   - milliseconds: The time since then by a clock that is never set.
    package func seconds(of moment: Timestamp?, elapsed milliseconds: Int64?) -> Double? {
        guard let moment, let milliseconds, let time else { return moment?.seconds }
        return moment.seconds(elapsed: .milliseconds(milliseconds), until: time)
    }
}
