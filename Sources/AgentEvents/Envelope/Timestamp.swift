internal import Glibc

/// A point in civil time, with microsecond resolution.
public struct Timestamp: Sendable, Hashable, CustomStringConvertible {
    /// Microseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    public let microsecondsSince1970: Int64

    /// Creates a timestamp.
    public init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

    /// The current time.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The earliest plausible time of an event, 2020-01-01 00:00:00 UTC: an earlier one was stamped by a clock that was not set.
    package static let earliestPlausible = Timestamp(microsecondsSince1970: 1_577_836_800_000_000)

    /// RFC 3339 in UTC with six decimals: `2026-11-21T07:00:00.123456Z`.
    ///
    /// That format has four digits for the year: a time before the year 0 or after 9999 is written as the first or the last
    /// moment of these years.
    public var description: String { String(decoding: text(.utc), as: UTF8.self) }

    /// RFC 3339 in the system's time zone, with milliseconds and the offset, for people.
    ///
    /// Limited as ``description`` is; east of UTC the last hours of 9999 are in a year of five digits.
    public var localDescription: String { String(decoding: text(.local), as: UTF8.self) }

    private enum Zone { case utc, local }

    /// The microseconds of the years from 0 to 9999.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

    private func text(_ zone: Zone) -> [UInt8] {
        let microseconds = min(max(microsecondsSince1970, Self.writable.lowerBound), Self.writable.upperBound)
        var seconds = time_t(microseconds.floorDivided(by: 1_000_000))
        let rest = Int(microseconds % 1_000_000)
        let fraction = rest < 0 ? rest + 1_000_000 : rest
        var civil = tm()
        switch zone {
        case .utc: gmtime_r(&seconds, &civil)
        case .local: localtime_r(&seconds, &civil)
        }
        var text: [UInt8] = []
        text.reserveCapacity(32)
        text.append(Int(civil.tm_year) + 1900, digits: 4)
        for (mark, part) in [("-", civil.tm_mon + 1), ("-", civil.tm_mday), ("T", civil.tm_hour), (":", civil.tm_min)]
            as [(Unicode.Scalar, Int32)]
        {
            text.append(UInt8(ascii: mark))
            text.append(Int(part), digits: 2)
        }
        text.append(UInt8(ascii: ":"))
        text.append(Int(civil.tm_sec), digits: 2)
        text.append(UInt8(ascii: "."))
        switch zone {
        case .utc:
            text.append(fraction, digits: 6)
            text.append(UInt8(ascii: "Z"))
        case .local:
            text.append(fraction / 1000, digits: 3)
            let offset = Int(civil.tm_gmtoff) / 60
            text.append(UInt8(ascii: offset < 0 ? "-" : "+"))
            text.append(abs(offset) / 60, digits: 2)
            text.append(UInt8(ascii: ":"))
            text.append(abs(offset) % 60, digits: 2)
        }
        return text
    }
}

extension Timestamp: Comparable {
    /// Returns true if the left timestamp is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension Timestamp: JSONRepresentable {
    /// Writes the time in UTC as a string.
    package func write(to json: inout JSONWriter) { json.plainString(text(.utc)) }
}

extension Duration {
    /// Whole milliseconds, clamped to the range of the type.
    package var milliseconds: Int64 { whole(1000) }

    /// Whole microseconds, clamped to the range of the type.
    package var microseconds: Int64 { whole(1_000_000) }

    /// Whole units, of which a second has so many.
    private func whole(_ unitsPerSecond: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: unitsPerSecond)
        let attosecondsPerUnit = 1_000_000_000_000_000_000 / unitsPerSecond
        let (sum, overflowToo) = product.addingReportingOverflow(attoseconds / attosecondsPerUnit)
        return overflow || overflowToo ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Timestamp {
    /// Parses an RFC 3339 time in UTC as ``description`` writes it, with six or fewer decimals.
    ///
    /// - Returns: `nil` if the text has any other format than `2026-11-21T07:00:00.123456Z`.
    public init?(utc text: Span<UInt8>) {
        // "2026-11-21T07:00:00Z" is the minimum, six decimals are the maximum.
        guard (20...27).contains(text.count), text[text.count - 1] == UInt8(ascii: "Z") else { return nil }
        for (offset, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
            guard text[offset] == UInt8(ascii: mark) else { return nil }
        }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for offset in range {
                let digit = text[offset] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value * 10 + Int(digit)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month),
            day >= 1, Self.days(year, month, day) < Self.days(month == 12 ? year + 1 : year, month % 12 + 1, 1),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var microseconds = 0
        if text.count > 20 {
            let decimals = 20..<text.count - 1
            guard text[19] == UInt8(ascii: "."), !decimals.isEmpty, let fraction = number(decimals) else { return nil }
            microseconds = fraction
            for _ in decimals.count..<6 { microseconds *= 10 }
        }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        self.init(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds))
    }

    /// Returns the days from 1970-01-01 to a day of the Gregorian calendar, with years that begin in March.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Timestamp: Codable {
    /// Reads an RFC 3339 time in UTC.
    ///
    /// - Throws: `DecodingError` for any other form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Timestamp(utc: Array(text.utf8).span) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an RFC 3339 time in UTC")
        }
        self = time
    }

    /// Writes the time as ``description``, also one that this limits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension [UInt8] {
    /// Appends a number with at least so many digits.
    ///
    /// A negative one, the year before 0 at a place west of UTC, appears as 0.
    fileprivate mutating func append(_ value: Int, digits: Int) {
        let value = Swift.max(0, value)
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}

extension Int64 {
    package func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
