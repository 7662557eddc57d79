internal import AgentEvents
internal import Availability
internal import ForeignText

/// A buffer for writing HTML.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Writes trusted markup.
    mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    /// Writes untrusted text, which can neither become markup nor change the text direction.
    ///
    /// This is the only place that converts text to HTML, in content and in quoted attributes.
    mutating func text(_ text: String) {
        for byte in ForeignText.shown(text, limit: 2048).utf8 {
            switch byte {
            case UInt8(ascii: "&"): raw("&amp;")
            case UInt8(ascii: "<"): raw("&lt;")
            case UInt8(ascii: ">"): raw("&gt;")
            case UInt8(ascii: "\""): raw("&quot;")
            case UInt8(ascii: "'"): raw("&#39;")
            default: bytes.append(byte)
            }
        }
    }

    /// Writes an element with text in it.
    ///
    /// - Parameters:
    ///   - tag: The tag with its attributes, which must be trusted.
    ///   - text: The text.
    mutating func element(_ tag: String, _ text: String) {
        raw("<\(tag)>")
        self.text(text)
        raw("</\(tag.prefix { $0 != " " })>")
    }

    /// Writes an attribute, after a space.
    mutating func attribute(_ name: String, _ value: String) {
        raw(" \(name)=\"")
        text(value)
        raw("\"")
    }

    /// Writes the start of a chart that fills its place, which the caller ends.
    ///
    /// - Parameters:
    ///   - style: The class.
    ///   - summary: The description for screen readers.
    mutating func openChart(_ style: String, width: Int, height: Int, _ summary: String) {
        raw("<svg class=\"\(style)\" viewBox=\"0 0 \(max(1, width)) \(height)\"")
        raw(" preserveAspectRatio=\"none\" role=\"img\"")
        attribute("aria-label", summary)
        raw(">")
    }

    /// Writes a link to a web address; of any other address, which could be a script, only the text.
    mutating func link(_ address: String, _ text: String) {
        guard address.hasPrefix("http://") || address.hasPrefix("https://") else { return self.text(text) }
        raw("<a rel=\"noreferrer\"")
        attribute("href", address)
        raw(">")
        self.text(text)
        raw("</a>")
    }

    /// Writes the sign of a grade, which is hidden from screen readers because the adjacent word has the same meaning.
    mutating func mark(_ grade: Grade) { sign(grade.sign, grade.rawValue) }

    /// Writes a sign that is explained by adjacent words.
    mutating func sign(_ sign: String, _ style: String) {
        raw("<span class=\"sign \(style)\" aria-hidden=\"true\">\(sign)</span> ")
    }

    /// Writes sentences with commands and addresses.
    mutating func action(_ action: Advice.Action) {
        for part in action.parts {
            switch part {
            case .text(let text): self.text(text)
            case .address(let address): link(address, address)
            case .command(let command), .change(let command): element("code", command)
            }
        }
    }

    /// Writes a code of the documentation.
    mutating func code(_ code: String) {
        raw(" ")
        element("code", code)
    }
}

/// The format of times and ages on the page.
struct PageClock {
    /// The time at which the page is rendered.
    let now: Timestamp
    /// Returns a time in RFC 3339 with the offset of the local time zone.
    let local: (Timestamp) -> String

    /// The offset of local time from UTC, in milliseconds: `3_600_000` for `+01:00`.
    var offsetMilliseconds: Int {
        let zone = local(now).suffix(6)
        guard let sign = zone.first, sign == "+" || sign == "-", let hours = Int(zone.dropFirst().prefix(2)),
            let minutes = Int(zone.suffix(2))
        else { return 0 }
        return (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000
    }

    /// Returns the local time, preceded by the date if it is not today: `14:02:11`, `2026-11-20 14:02:11`.
    func brief(_ moment: Timestamp) -> String {
        let (then, today) = (local(moment), local(now))
        guard then.utf8.count >= 19 else { return then }
        let time = String(then.dropFirst(11).prefix(8))
        return then.prefix(10) == today.prefix(10) ? time : "\(then.prefix(10)) \(time)"
    }

    /// Returns the local date and time: `2026-11-20 14:02:11`.
    func full(_ moment: Timestamp) -> String { String(local(moment).prefix(19).map { $0 == "T" ? " " : $0 }) }

    /// Returns the time since a moment: `3 h 12 min`.
    func age(of moment: Timestamp, milliseconds: Int64? = nil) -> String {
        let age = milliseconds ?? (now.microsecondsSince1970 &- moment.microsecondsSince1970) / 1000
        return SummaryText.coarse(max(0, age) / 1000)
    }
}

extension HTMLText {
    /// Writes a time in a form that the script can read: `14:02:11`.
    mutating func time(_ moment: Timestamp, _ clock: PageClock) {
        raw("<time datetime=\"\(moment)\">")
        text(clock.brief(moment))
        raw("</time>")
    }

    /// Writes an age, which the script keeps up to date: `3 h 12 min`.
    mutating func age(of moment: Timestamp, milliseconds: Int64? = nil, _ clock: PageClock) {
        let age = milliseconds ?? (clock.now.microsecondsSince1970 &- moment.microsecondsSince1970) / 1000
        raw("<span data-since=\"\(clock.now.microsecondsSince1970 / 1000 &- age)\">")
        text(clock.age(of: moment, milliseconds: milliseconds))
        raw("</span>")
    }
}
