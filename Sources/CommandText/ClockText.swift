package import AgentEvents

/// Moments and ages as people compare them with a clock on the wall.
package struct ClockText {
    /// The moment from which is looked back: its day is not named.
    package let now: Timestamp
    /// RFC 3339 with the offset of the local zone.
    package var local: (Timestamp) -> String

    /// The text of moments beside the present one.
    ///
    /// - Parameter local: RFC 3339 with the offset of the local zone.
    package init(now: Timestamp, local: @escaping (Timestamp) -> String = \.localDescription) {
        self.now = now
        self.local = local
    }

    /// The time with the offset, to the second, and before it the day when it is another: `14:02:11+01:00`.
    package func text(_ moment: Timestamp) -> String {
        let (then, today) = (local(moment), local(now))
        let parts = then.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, parts[1].count > 8 else { return then }
        let clock = parts[1].prefix(8) + parts[1].dropFirst(8).drop { $0 == "." || $0.isNumber }
        return today.hasPrefix(parts[0]) ? String(clock) : "\(parts[0]) \(clock)"
    }

    /// The local time without its offset, to the second, and before it the day when it is another: `14:02:11`.
    package func brief(_ moment: Timestamp) -> String {
        let (then, today) = (local(moment), local(now))
        let parts = then.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, parts[1].count > 8 else { return then }
        return today.hasPrefix(parts[0]) ? String(parts[1].prefix(8)) : "\(parts[0]) \(parts[1].prefix(8))"
    }

    /// The age of a moment: `3 h 12 min ago`.
    ///
    /// - Parameter age: How long by a clock that does not jump, where that is known.
    package func age(of moment: Timestamp, age: Duration? = nil, units: Int = 2) -> String {
        ago(age ?? duration(since: moment), units: units)
    }

    /// The time from a moment until now.
    package func duration(since moment: Timestamp) -> Duration {
        let (microseconds, overflow) = now.microsecondsSince1970.subtractingReportingOverflow(
            moment.microsecondsSince1970
        )
        return .microseconds(overflow ? 0 : microseconds)
    }

    /// An age in words.
    package func ago(_ age: Duration, units: Int = 2) -> String {
        age < .seconds(1) ? "just now" : "\(DurationText.coarse(age, units: units)) ago"
    }
}
