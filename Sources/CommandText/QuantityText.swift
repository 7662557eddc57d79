package import AgentEvents

/// The format of durations for people.
package enum DurationText {
    /// Returns a duration in milliseconds with the significant decimals: `0.04 ms`, `12.3 ms`, `4503 ms`.
    package static func milliseconds(_ duration: Duration) -> String {
        let microseconds = max(0, duration.microseconds)
        switch microseconds {
        case ..<10_000: return fixed(microseconds, unit: 1000, decimals: 2) + " ms"
        case ..<1_000_000: return fixed(microseconds, unit: 1000, decimals: 1) + " ms"
        default: return fixed(microseconds, unit: 1000, decimals: 0) + " ms"
        }
    }

    private static func fixed(_ value: Int64, unit: Int64, decimals: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let step = unit / scale
        let rounded = value / step + (value % step * 2 >= step ? 1 : 0)
        guard decimals > 0 else { return String(rounded) }
        let fraction = String(rounded % scale)
        return "\(rounded / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// Returns a duration in its two largest units, rounded down: `42 s`, `3 h 12 min`, `5 d`.
    package static func coarse(_ duration: Duration, units: Int = 2) -> String {
        var rest = max(0, duration.components.seconds)
        var words: [String] = []
        for (name, seconds) in [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] as [(String, Int64)] {
            let count = rest / seconds
            rest %= seconds
            // Units after a zero are omitted: the minutes of "5 d 0 h 3 min" are insignificant.
            if count == 0, !words.isEmpty { break }
            if count > 0 { words.append("\(count) \(name)") }
            if words.count == units { break }
        }
        return words.isEmpty ? "0 s" : words.joined(separator: " ")
    }
}

/// The format of byte counts for people.
package enum ByteCountText {
    /// Returns a byte count with at most one decimal: `812 B`, `1.2 MiB`.
    package static func of(_ count: UInt64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        let (unit, size) = unit(for: count)
        return "\(decimal(count, in: size)) \(unit)"
    }

    /// Returns a part of a whole, in the unit of the whole: `1.2 of 5 MiB`.
    package static func of(_ count: UInt64, outOf whole: UInt64) -> String {
        guard whole >= 1024 else { return "\(count) of \(whole) B" }
        let (unit, size) = unit(for: whole)
        return
            "\(decimal(count, in: size)) of \(whole % size == 0 ? "\(whole / size)" : decimal(whole, in: size)) \(unit)"
    }

    private static func unit(for count: UInt64) -> (name: String, size: UInt64) {
        var (unit, size): (String, UInt64) = ("KiB", 1024)
        for next in ["MiB", "GiB", "TiB"] where count / size >= 1024 {
            unit = next
            size *= 1024
        }
        return (unit, size)
    }

    private static func decimal(_ count: UInt64, in size: UInt64) -> String {
        let (whole, rest) = (count / size, count % size)
        return whole >= 100 ? "\(whole)" : "\(whole).\(rest * 10 / size)"
    }
}

/// The format of times and ages for people.
package struct ClockText {
    /// The current time, whose date is omitted.
    package let now: Timestamp
    /// Returns a time in RFC 3339 with the offset of the local time zone.
    package var local: (Timestamp) -> String

    /// Creates the format for a current time.
    ///
    /// - Parameter local: Returns a time in RFC 3339 with the offset of the local time zone.
    package init(now: Timestamp, local: @escaping (Timestamp) -> String = \.localDescription) {
        self.now = now
        self.local = local
    }

    /// Returns the local time with its offset, to the second, preceded by the date if it is not today:
    /// `14:02:11+01:00`.
    package func text(_ moment: Timestamp) -> String { text(moment, hasOffset: true) }

    /// Returns the local time without its offset, to the second, preceded by the date if it is not today: `14:02:11`.
    package func brief(_ moment: Timestamp) -> String { text(moment, hasOffset: false) }

    private func text(_ moment: Timestamp, hasOffset: Bool) -> String {
        let (then, today) = (local(moment), local(now))
        let parts = then.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, parts[1].count > 8 else { return then }
        let offset = hasOffset ? parts[1].dropFirst(8).drop { $0 == "." || $0.isNumber } : ""
        let clock = parts[1].prefix(8) + offset
        return today.hasPrefix(parts[0]) ? String(clock) : "\(parts[0]) \(clock)"
    }

    /// Returns the time since a moment: `3 h 12 min ago`.
    ///
    /// - Parameter age: The duration by a monotonic clock, if it is known.
    package func age(of moment: Timestamp, age: Duration? = nil, units: Int = 2) -> String {
        ago(age ?? duration(since: moment), units: units)
    }

    /// Returns the time from a moment until now.
    package func duration(since moment: Timestamp) -> Duration {
        let (microseconds, overflow) = now.microsecondsSince1970.subtractingReportingOverflow(
            moment.microsecondsSince1970
        )
        return .microseconds(overflow ? 0 : microseconds)
    }

    /// Returns an age in words.
    package func ago(_ age: Duration, units: Int = 2) -> String {
        age < .seconds(1) ? "just now" : "\(DurationText.coarse(age, units: units)) ago"
    }
}
