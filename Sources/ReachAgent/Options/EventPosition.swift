internal import ArgumentParser
internal import EventEnvelope
internal import Glibc

/// A place in the stream of events: a number, or a moment.
enum EventPosition: Sendable, Hashable {
    case number(UInt64)
    case moment(Timestamp)

    /// Reads an argument; without an offset a time is one of the system's time zone.
    init(argument text: String) throws {
        guard let position = EventPosition(text, now: .now) else {
            throw ValidationError(
                """
                '\(text)' is neither a number nor a time; accepted are forms like 42, 2026-11-21T07:00:00Z, \
                '2026-11-21 07:00', 07:00, today, yesterday, 15min, 2h and 3d
                """
            )
        }
        self = position
    }

    init?(_ text: String, now: Timestamp) {
        if !text.isEmpty, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) {
            guard let number = UInt64(text) else { return nil }
            self = .number(number)
        } else if let moment = Timestamp(absolute: text) ?? Timestamp(local: text, now: now)
            ?? Timestamp(ago: text, now: now)
        {
            self = .moment(moment)
        } else {
            return nil
        }
    }
}

extension Timestamp {
    /// The present moment.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// RFC 3339 with any offset: `2026-11-21T07:00:00.5+01:00`.
    fileprivate init?(absolute text: String) {
        let text = Array(text.uppercased().utf8)
        let (local, offset): (ArraySlice<UInt8>, Int64)
        if text.last == UInt8(ascii: "Z") {
            (local, offset) = (text.dropLast(), 0)
        } else {
            let zone = Array(text.suffix(6))
            guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hours = Self.number(zone[1..<3]),
                let minutes = Self.number(zone[4..<6]), hours < 24, minutes < 60,
                [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(zone[0])
            else { return nil }
            let seconds = Int64(hours * 60 + minutes) * 60
            (local, offset) = (text.dropLast(6), zone[0] == UInt8(ascii: "-") ? -seconds : seconds)
        }
        // More decimals than we keep are cut off.
        let utc = Array(local.prefix(26)) + [UInt8(ascii: "Z")]
        guard local.dropFirst(26).allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let moment = Timestamp(utc: utc.span)
        else { return nil }
        self.init(microsecondsSince1970: moment.microsecondsSince1970 - offset * 1_000_000)
    }

    /// A time of the system's time zone: `2026-11-21 07:00:30`, `2026-11-21`, `07:00` (today), `today` or `yesterday`.
    fileprivate init?(local text: String, now: Timestamp) {
        var seconds = time_t(now.microsecondsSince1970 / 1_000_000)
        var civil = tm()
        guard localtime_r(&seconds, &civil) != nil else { return nil }
        (civil.tm_hour, civil.tm_min, civil.tm_sec) = (0, 0, 0)
        switch text {
        case "today": break
        case "yesterday": civil.tm_mday -= 1
        default:
            var words = text.replacing("T", with: " ").split(separator: " ", omittingEmptySubsequences: false)
            guard (1...2).contains(words.count), let first = words.first else { return nil }
            if !first.contains(":" as Character) {
                guard civil.setDate(Array(first.utf8)) else { return nil }
                words.removeFirst()
            }
            if let time = words.first {
                guard words.count == 1, civil.setTime(Array(time.utf8)) else { return nil }
            }
        }
        // The hour decides whether it is summer time.
        civil.tm_isdst = -1
        let day = civil.tm_mday
        let moment = mktime(&civil)
        // There is no 30th of February; and yesterday may be the day 0.
        guard text == "yesterday" || civil.tm_mday == day else { return nil }
        self.init(microsecondsSince1970: Int64(moment) * 1_000_000)
    }

    /// So long before now: `90s`, `15min`, `2h`, `3d`, `1w`, with or without ` ago`.
    fileprivate init?(ago text: String, now: Timestamp) {
        let text = text.hasSuffix(" ago") ? text.dropLast(4) : text[...]
        let units: [(String, Int64)] = [
            ("min", 60), ("m", 60), ("s", 1), ("h", 3600), ("d", 86_400), ("w", 604_800),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        let digits = Array(text.utf8.dropLast(unit.0.utf8.count))
        guard (1...6).contains(digits.count), let count = Self.number(digits[...]) else { return nil }
        self.init(microsecondsSince1970: now.microsecondsSince1970 - Int64(count) * unit.1 * 1_000_000)
    }

    /// A few digits.
    fileprivate static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...6).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension tm {
    /// `2026-11-21`.
    fileprivate mutating func setDate(_ text: [UInt8]) -> Bool {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = Timestamp.number(text[0..<4]), let month = Timestamp.number(text[5..<7]),
            let day = Timestamp.number(text[8..<10]), year >= 1970, (1...12).contains(month), (1...31).contains(day)
        else { return false }
        (tm_year, tm_mon, tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        return true
    }

    /// `07:00` or `07:00:30`.
    fileprivate mutating func setTime(_ text: [UInt8]) -> Bool {
        guard text.count == 5 || text.count == 8, text[2] == UInt8(ascii: ":"),
            let hour = Timestamp.number(text[0..<2]), let minute = Timestamp.number(text[3..<5]), hour < 24, minute < 60
        else { return false }
        (tm_hour, tm_min) = (Int32(hour), Int32(minute))
        guard text.count == 8 else { return true }
        guard text[5] == UInt8(ascii: ":"), let second = Timestamp.number(text[6..<8]), second <= 60 else {
            return false
        }
        tm_sec = Int32(second)
        return true
    }
}
