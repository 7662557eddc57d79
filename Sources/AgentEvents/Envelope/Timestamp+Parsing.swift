extension Timestamp {
    /// The moment that an RFC 3339 text in UTC stands for, as ``description`` writes it; fewer or no decimals are fine.
    ///
    /// - Returns: `nil` when the text is anything else: `2026-11-21T07:00:00.123456Z` is the only form.
    public init?(utc text: Span<UInt8>) {
        // "2026-11-21T07:00:00Z" is the shortest, six decimals are the most.
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

    /// Days from 1970-01-01 to a day of the Gregorian calendar, with years that begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
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

    /// Writes the time as ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
