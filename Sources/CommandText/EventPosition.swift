package import AgentEvents
internal import ArgumentParser
package import Availability
internal import Glibc

/// A position in the stream of events: a number or a time.
package enum EventPosition: Sendable, Hashable {
    case number(UInt64)
    case moment(Timestamp)

    /// The accepted formats, for the help of options and for error messages.
    package static let forms = """
        42 or #42 (a number), 2026-11-21T07:00:00Z, '2026-11-21 07:00', 10:30, today, yesterday, 'yesterday 10:30', \
        '1 hour ago' and 1h30m
        """

    /// Parses an argument; a time without an offset is in the system's time zone.
    package init(argument text: String) throws { try self.init(argument: text, isEnd: false) }

    private init(argument text: String, isEnd: Bool) throws {
        guard let position = EventPosition(text, now: .now, isEnd: isEnd) else {
            throw ValidationError("expected an event's number or a time, got '\(text)'; accepted are \(Self.forms)")
        }
        self = position
    }

    /// Parses the end of a range: a time given to the second or the minute includes all of it, so that the times of printed
    /// events can be used.
    package init(endArgument text: String) throws {
        try self.init(argument: text, isEnd: true)
        guard case .moment(let moment) = self else { return }
        self = .moment(Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + Self.unit(of: text) - 1))
    }

    /// Returns the length of the last part of a time's clock, in microseconds: a minute of `07:00`, a second of `07:00:30`,
    /// else 1.
    private static func unit(of text: String) -> Int64 {
        // The clock follows the date, and the offset from UTC the clock.
        let clock = text.split { $0 == " " || $0 == "T" || $0 == "t" }.first { $0.contains(":") } ?? ""
        let end = clock.firstIndex { "Zz+-".contains($0) } ?? clock.endIndex
        guard !clock.contains(".") else { return 1 }
        return switch clock[..<end].split(separator: ":").count {
        case 2: 60_000_000
        case 3: 1_000_000
        default: 1
        }
    }

    /// Parses a number, or a time of a range.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - now: The current time.
    ///   - isEnd: True for the end of a range: of two moments with the same local time the range includes both.
    ///   - zone: The time zone of times without an offset.
    package init?(_ text: String, now: Timestamp, isEnd: Bool = false, in zone: CivilTime = .system) {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        if !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) {
            guard let number = UInt64(digits) else { return nil }
            self = .number(number)
        } else if let moment = Timestamp(absolute: text) ?? Timestamp(local: text, now: now, isEnd: isEnd, in: zone)
            ?? Timestamp(ago: text, now: now)
        {
            self = .moment(moment)
        } else {
            return nil
        }
    }
}

extension Timestamp {
    /// Parses ISO 8601 with any offset: `2026-11-21T07:00:00.5+01:00`, `2026-11-21T07:00Z`, `2026-11-21 07:00:00+0100`.
    fileprivate init?(absolute text: String) {
        var text = Array(text.uppercased().utf8)
        if text.count > 10, text[10] == UInt8(ascii: " ") { text[10] = UInt8(ascii: "T") }
        var local = text.dropLast()
        var offset: Int64 = 0
        if text.last != UInt8(ascii: "Z") {
            guard text.count > 16, let sign = text[16...].lastIndex(where: { [0x2B, 0x2D].contains($0) }) else {
                return nil
            }
            var zone = Array(text[(sign + 1)...])
            if zone.count == 5, zone[2] == UInt8(ascii: ":") { zone.remove(at: 2) }
            guard zone.count == 4, let hours = Self.number(zone[..<2]), let minutes = Self.number(zone[2...]),
                hours < 24,
                minutes < 60
            else { return nil }
            let seconds = Int64(hours * 60 + minutes) * 60
            local = text[..<sign]
            offset = text[sign] == UInt8(ascii: "-") ? -seconds : seconds
        }
        if local.count == 16 { local += Array(":00".utf8) }
        // Decimals beyond microseconds are truncated.
        let utc = Array(local.prefix(26)) + [UInt8(ascii: "Z")]
        guard local.dropFirst(26).allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let moment = Timestamp(utc: utc.span)
        else { return nil }
        self.init(microsecondsSince1970: moment.microsecondsSince1970 - offset * 1_000_000)
    }

    /// Parses a time in a time zone: `2026-11-21 07:00:30`, `2026-11-21`, `07:00` (today), `now`, `today`, `yesterday`, or
    /// `yesterday 07:00`.
    fileprivate init?(local text: String, now: Timestamp, isEnd: Bool, in zone: CivilTime) {
        if text == "now" {
            self = now
            return
        }
        CivilTime.updateSystemZone()
        let today = zone.day(of: now).parts
        var civil = tm()
        civil.tm_year = Int32(clamping: today.year - 1900)
        (civil.tm_mon, civil.tm_mday) = (Int32(today.month - 1), Int32(today.day))
        let isDate = text.utf8.first.map { $0 &- UInt8(ascii: "0") < 10 } ?? false
        var words = (isDate ? text.replacing("T", with: " ") : text)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard (1...2).contains(words.count), let first = words.first else { return nil }
        switch first {
        case "today": words.removeFirst()
        case "yesterday":
            civil.tm_mday -= 1
            words.removeFirst()
        default:
            guard !first.contains(":" as Character) else { break }
            guard civil.setDate(Array(first.utf8)) else { return nil }
            words.removeFirst()
        }
        if let time = words.first {
            guard words.count == 1, civil.setTime(Array(time.utf8)) else { return nil }
        }
        let day = civil.tm_mday
        // Not mktime(3): of two moments with the same local time it returns either.
        let moments = zone.moments(ofLocal: Int64(timegm(&civil)))
        // Rejects dates such as 30 February; the day of `yesterday` may be 0.
        guard first == "yesterday" || civil.tm_mday == day else { return nil }
        // A day begins at the first of two midnights, also where it is an end.
        self = isEnd && !words.isEmpty ? moments.last : moments.first
    }

    /// Parses a duration before now: `90s`, `1h30m`, `2 days 4 hours`, with or without ` ago`.
    fileprivate init?(ago text: String, now: Timestamp) {
        var rest = Array((text.hasSuffix(" ago") ? text.dropLast(4) : text[...]).utf8)[...]
        var seconds: Int64 = 0
        guard !rest.isEmpty, rest.count <= 64 else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
            rest = rest.dropFirst(digits.count)
            if rest.first == UInt8(ascii: " ") { rest.removeFirst() }
            let unit = rest.prefix { $0 &- UInt8(ascii: "a") < 26 }
            rest = rest.dropFirst(unit.count)
            guard let count = Self.number(digits),
                let length = Self.length(ofUnit: String(decoding: unit, as: UTF8.self))
            else { return nil }
            seconds += Int64(count) * length
            if rest.first == UInt8(ascii: " ") {
                rest.removeFirst()
                guard !rest.isEmpty else { return nil }
            }
        }
        self.init(microsecondsSince1970: now.microsecondsSince1970 - seconds * 1_000_000)
    }

    /// Returns the length of a named unit in seconds.
    private static func length(ofUnit name: String) -> Int64? {
        switch name {
        case "s", "sec", "secs", "second", "seconds": 1
        case "m", "min", "mins", "minute", "minutes": 60
        case "h", "hr", "hrs", "hour", "hours": 3600
        case "d", "day", "days": 86_400
        case "w", "week", "weeks": 604_800
        default: nil
        }
    }

    /// Parses a short decimal number.
    fileprivate static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...6).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension tm {
    /// Sets the date from a text such as `2026-11-21`; returns `false` for any other text.
    fileprivate mutating func setDate(_ text: [UInt8]) -> Bool {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = Timestamp.number(text[0..<4]), let month = Timestamp.number(text[5..<7]),
            let day = Timestamp.number(text[8..<10]), year >= 1970, (1...12).contains(month), (1...31).contains(day)
        else { return false }
        (tm_year, tm_mon, tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        return true
    }

    /// Sets the time from a text such as `07:00` or `07:00:30`; returns `false` for any other text.
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
