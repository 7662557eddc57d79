internal import Glibc

/// A moment of civil time, to the microsecond.
public struct Timestamp: Sendable, Hashable, CustomStringConvertible {
    /// Microseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    public let microsecondsSince1970: Int64

    /// A moment.
    public init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

    /// RFC 3339 in UTC with six decimals: `2026-11-21T07:00:00.123456Z`.
    public var description: String { format(.utc) }

    /// RFC 3339 in the system's time zone, with milliseconds and the offset: what people read.
    public var localDescription: String { format(.local) }

    private enum Zone { case utc, local }

    private func format(_ zone: Zone) -> String {
        var seconds = time_t(microsecondsSince1970.floorDivided(by: 1_000_000))
        let fraction = Int(microsecondsSince1970 - Int64(seconds) * 1_000_000)
        var civil = tm()
        let date: (tm) -> String = { civil in
            let day =
                "\(digits(Int(civil.tm_year) + 1900, 4))-\(digits(Int(civil.tm_mon) + 1))-\(digits(Int(civil.tm_mday)))"
            return "\(day)T\(digits(Int(civil.tm_hour))):\(digits(Int(civil.tm_min))):\(digits(Int(civil.tm_sec)))"
        }
        switch zone {
        case .utc:
            gmtime_r(&seconds, &civil)
            return "\(date(civil)).\(digits(fraction, 6))Z"
        case .local:
            localtime_r(&seconds, &civil)
            let offset = Int(civil.tm_gmtoff) / 60
            let sign = offset < 0 ? "-" : "+"
            return
                "\(date(civil)).\(digits(fraction / 1000, 3))\(sign)\(digits(abs(offset) / 60)):\(digits(abs(offset) % 60))"
        }
    }

    private func digits(_ value: Int, _ width: Int = 2) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
