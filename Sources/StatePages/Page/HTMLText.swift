internal import AgentEvents
internal import Availability
internal import ForeignText

/// HTML while it is written.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Writes markup of the program's own.
    mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    /// Writes text, which may be a stranger's: it can neither be markup nor turn the direction of reading.
    ///
    /// The one place where text becomes HTML, in content and in quoted attributes.
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
    ///   - tag: The tag with its attributes, which are the program's own.
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

    /// Writes a link to the web, and of any other address only the text: it could be a script.
    mutating func link(_ address: String, _ text: String) {
        guard address.hasPrefix("http://") || address.hasPrefix("https://") else { return self.text(text) }
        raw("<a rel=\"noreferrer\"")
        attribute("href", address)
        raw(">")
        self.text(text)
        raw("</a>")
    }

    /// Writes the sign of a grade; the word beside it says the same.
    mutating func mark(_ grade: Grade) { sign(grade.sign, grade.rawValue) }

    /// Writes a sign that words beside it explain.
    mutating func sign(_ sign: String, _ style: String) {
        raw("<span class=\"sign \(style)\" aria-hidden=\"true\">\(sign)</span> ")
    }

    /// Writes sentences with commands and addresses.
    mutating func action(_ action: Advice.Action) {
        for part in action.parts {
            switch part {
            case .text(let text): self.text(text)
            case .address(let address): link(address, address)
            case .command(let command): element("code", command)
            }
        }
    }

    /// Writes a code of the documentation.
    mutating func code(_ code: String) {
        raw(" ")
        element("code", code)
    }
}

/// A moment as the page shows it.
struct PageClock {
    /// The moment of the page.
    let now: Timestamp
    /// RFC 3339 with the offset of the local zone.
    let local: (Timestamp) -> String

    /// The local time, and before it the day when it is another than the page's: `14:02:11`, `2026-11-20 14:02:11`.
    func brief(_ moment: Timestamp) -> String {
        let (then, today) = (local(moment), local(now))
        guard then.utf8.count >= 19 else { return then }
        let time = String(then.dropFirst(11).prefix(8))
        return then.prefix(10) == today.prefix(10) ? time : "\(then.prefix(10)) \(time)"
    }

    /// The local day and time: `2026-11-20 14:02:11`.
    func full(_ moment: Timestamp) -> String { String(local(moment).prefix(19).map { $0 == "T" ? " " : $0 }) }

    /// The age of a moment: `3 h 12 min`.
    func age(of moment: Timestamp, milliseconds: Int64? = nil) -> String {
        let age = milliseconds ?? (now.microsecondsSince1970 &- moment.microsecondsSince1970) / 1000
        return SummaryText.coarse(max(0, age) / 1000)
    }
}

extension HTMLText {
    /// Writes a moment, which a script can keep in mind: `14:02:11`.
    mutating func time(_ moment: Timestamp, _ clock: PageClock) {
        raw("<time datetime=\"\(moment)\">")
        text(clock.brief(moment))
        raw("</time>")
    }

    /// Writes an age, which the script lets grow: `3 h 12 min`.
    mutating func age(of moment: Timestamp, milliseconds: Int64? = nil, _ clock: PageClock) {
        let age = milliseconds ?? (clock.now.microsecondsSince1970 &- moment.microsecondsSince1970) / 1000
        raw("<span data-since=\"\(clock.now.microsecondsSince1970 / 1000 &- age)\">")
        text(clock.age(of: moment, milliseconds: milliseconds))
        raw("</span>")
    }
}
