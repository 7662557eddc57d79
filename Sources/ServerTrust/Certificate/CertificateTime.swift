internal import FoundationEssentials
internal import Glibc
internal import SwiftASN1

/// A time in a certificate or a revocation list, with any violation of RFC 5280 in its encoding.
struct CertificateTime: Sendable, Hashable {
    let date: Date
    /// The encoding error: a GeneralizedTime of the years that UTCTime has, 1950 to 2049; nil when it is correct.
    let flaw: String?

    /// Decodes a UTCTime or GeneralizedTime with seconds and `Z`; nil when it is anything else.
    init?(_ node: ASN1Node) {
        guard let bytes = node.primitiveBytes, bytes.last == UInt8(ascii: "Z") else { return nil }
        let isShort = node.identifier == .utcTime
        guard isShort || node.identifier == .generalizedTime, bytes.count == (isShort ? 13 : 15) else { return nil }
        var digits: [Int] = []
        for byte in bytes.dropLast() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            digits.append(Int(byte - UInt8(ascii: "0")))
        }
        let yearDigits = isShort ? 2 : 4
        var year = digits.prefix(yearDigits).reduce(0) { $0 * 10 + $1 }
        if isShort { year += year < 50 ? 2000 : 1900 }
        let pairs = stride(from: yearDigits, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        guard pairs.count == 5, (1...12).contains(pairs[0]),
            (1...Self.days(inMonth: pairs[0], of: year)).contains(pairs[1]),
            pairs[2] < 24, pairs[3] < 60, pairs[4] < 60
        else { return nil }
        let seconds = Self.daysSince1970(year, pairs[0], pairs[1]) * 86_400 + pairs[2] * 3600 + pairs[3] * 60 + pairs[4]
        date = Date(timeIntervalSince1970: Double(seconds))
        flaw = !isShort && (1950..<2050).contains(year) ? "a date from 1950 to 2049 is written as GeneralizedTime" : nil
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970 in the proleptic Gregorian calendar, counted in eras of 400 years that begin on 1
    /// March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Date {
    /// The time as RFC 3339 in UTC, without fractions; the number of seconds if the calendar has no such time.
    ///
    /// The calendar of RFC 3339 is proleptic; Foundation's has Julian dates before 1582.
    var utcText: String {
        var civil = tm()
        guard var seconds = time_t(exactly: timeIntervalSince1970.rounded(.down)), gmtime_r(&seconds, &civil) != nil
        else { return "\(timeIntervalSince1970) seconds after 1970" }
        func text(_ value: some BinaryInteger, _ digits: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        let date = "\(text(Int(civil.tm_year) + 1900, 4))-\(text(civil.tm_mon + 1))-\(text(civil.tm_mday))"
        return "\(date)T\(text(civil.tm_hour)):\(text(civil.tm_min)):\(text(civil.tm_sec))Z"
    }
}
