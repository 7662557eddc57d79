package import AgentEvents

extension Timestamp {
    /// The time in seconds since 1970.
    var seconds: Double { Double(microsecondsSince1970) / 1_000_000 }
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
        return moment.moved(elapsed: .milliseconds(milliseconds), until: time).seconds
    }
}
