internal import Glibc

/// A moment of civil time, to the microsecond.
public struct Timestamp: Sendable, Hashable, CustomStringConvertible {
    /// Microseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    public let microsecondsSince1970: Int64

    /// A moment.
    public init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

    /// The present moment.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// RFC 3339 in UTC with six decimals: `2026-11-21T07:00:00.123456Z`.
    public var description: String { String(decoding: text(.utc), as: UTF8.self) }

    /// RFC 3339 in the system's time zone, with milliseconds and the offset: what people read.
    public var localDescription: String { String(decoding: text(.local), as: UTF8.self) }

    private enum Zone { case utc, local }

    private func text(_ zone: Zone) -> [UInt8] {
        var seconds = time_t(microsecondsSince1970.floorDivided(by: 1_000_000))
        let fraction = Int(microsecondsSince1970 - Int64(seconds) * 1_000_000)
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
    /// Returns true when the left moment is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension Timestamp: JSONRepresentable {
    /// Writes the time in UTC as a string.
    public func write(to json: inout JSONWriter) { json.plainString(text(.utc)) }
}

extension [UInt8] {
    /// Appends a number with leading zeros.
    fileprivate mutating func append(_ value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Whole microseconds, or the nearest number of them that can be kept.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflowToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || overflowToo ? (seconds < 0 ? .min : .max) : sum
    }
}
