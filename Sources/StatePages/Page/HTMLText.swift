internal import AgentEvents
internal import ForeignText

/// The worth of a state, which a word, a sign and a colour show.
enum Grade: String {
    case good, doubtful, bad, unknown

    init(_ connectivity: Connectivity) {
        switch connectivity {
        case .full: self = .good
        case .partial, .portal: self = .doubtful
        case .local, .none: self = .bad
        default: self = .unknown
        }
    }

    init(connectivity state: ReachabilityState?) {
        guard let state, state.via != .unknown else {
            self = .unknown
            return
        }
        self = state.isReachable ? Grade(state.connectivity ?? .unknown) : .bad
    }

    init(verdict: String?) {
        switch verdict {
        case "up": self = .good
        case "portal": self = .doubtful
        case "down": self = .bad
        default: self = .unknown
        }
    }

    /// A sign that differs in its form, for those who do not see the colour.
    var sign: String {
        switch self {
        case .good: "✓"
        case .doubtful: "!"
        case .bad: "✕"
        case .unknown: "?"
        }
    }
}

/// HTML while it is written.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Writes markup of the program's own.
    mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    /// Writes text, which may be a stranger's: it can neither be markup nor turn the direction of reading.
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

    /// Writes a link to the web, and of any other address only the text: it could be a script.
    mutating func link(_ address: String, _ text: String) {
        guard address.hasPrefix("http://") || address.hasPrefix("https://") else { return self.text(text) }
        raw("<a rel=\"noreferrer\" href=\"")
        self.text(address)
        raw("\">")
        self.text(text)
        raw("</a>")
    }

    /// Writes the sign of a grade; the word beside it says the same.
    mutating func mark(_ grade: Grade) {
        raw("<span class=\"sign \(grade.rawValue)\" aria-hidden=\"true\">\(grade.sign)</span> ")
    }
}
