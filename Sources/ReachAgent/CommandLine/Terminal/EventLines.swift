internal import AgentEvents
internal import ForeignText
internal import Glibc

/// Events as lines for people: the day where it changes, then time, subject, headline, detail and number of each event.
///
/// On a terminal a long line continues under its own text. A word is broken only if it does not fit on a line of its own.
struct EventLines {
    /// The maximum number of members that are shown of unknown content.
    private static let maximumMembers = 8
    /// The columns of a subject; a longer one moves what follows.
    private static let subjectWidth = 14
    /// The minimum number of columns for a text beside its subject; a narrower terminal has no column for subjects.
    private static let minimumTextWidth = 34

    private let style: TerminalStyle
    private let width: @Sendable () -> Int?
    private let local: @Sendable (Timestamp) -> String
    private var day: Substring

    /// Lines in a style.
    ///
    /// - Parameters:
    ///   - style: The colours and characters.
    ///   - today: A time on the day that needs no line; `nil` to begin with the day of the first event.
    ///   - width: The current columns of the terminal; `nil` for a file or a pipe, where each event is one line.
    ///   - local: Formats a time in the local time zone.
    init(
        style: TerminalStyle,
        today: Timestamp? = nil,
        width: @escaping @Sendable () -> Int? = { EventLines.terminalColumns },
        local: @escaping @Sendable (Timestamp) -> String = { $0.localDescription }
    ) {
        self.style = style
        self.width = width
        self.local = local
        day = today.map { LocalTime(local($0)).day } ?? ""
    }

    /// The columns of the terminal that standard output leads to; `nil` for a file or a pipe.
    private static var terminalColumns: Int? {
        isatty(STDOUT_FILENO) == 1 ? TerminalStyle.size(of: STDOUT_FILENO).map { max($0.columns, 20) } : nil
    }

    /// The lines of an event that this process has made.
    mutating func lines(of event: Event) -> [String] { lines(of: event.value, EventSummary(event.value)) }

    /// The lines of an event that was read; any input gives text that is safe to show, even if it is not an event.
    mutating func lines(of json: [UInt8]) -> [String] {
        guard let event = AgentEvent(line: json) else { return [style.spelled(ForeignText.shown(json, limit: 120))] }
        let summary = EventSummary(event) ?? Self.unknown(event, json)
        return lines(of: event, summary)
    }

    /// The lines of a state at a time: `now`, or the lines below it.
    mutating func lines(_ summary: EventSummary, at time: Timestamp) -> [String] { lines(time, summary, nil) }

    /// A remark between the events, such as one about missing numbers.
    func remark(_ text: String) -> String { style.paint(style.spelled("— \(ForeignText.line(text)) —"), .yellow) }

    private mutating func lines(of event: AgentEvent, _ summary: EventSummary?) -> [String] {
        lines(
            event.time,
            summary ?? EventSummary(subject: EventSummary.subject(of: event), headline: "?"),
            event.sequence
        )
    }

    private mutating func lines(_ time: Timestamp, _ summary: EventSummary, _ number: UInt64?) -> [String] {
        let moment = LocalTime(local(time))
        var lines: [String] = []
        if moment.day != day {
            day = moment.day
            lines.append(style.paint(style.spelled("── \(moment.day) ──"), .bold))
        }
        return lines + wrapped(moment.clock, summary, number)
    }

    private func wrapped(_ clock: Substring, _ summary: EventSummary, _ number: UInt64?) -> [String] {
        let subject = style.spelled(ForeignText.shown(summary.subject, limit: 96))
        let columns = width() ?? .max
        let column = 10 + Self.subjectWidth + 2
        let isNarrow = columns < column + Self.minimumTextWidth
        var wrap = WordWrap(columns: columns, hanging: isNarrow ? 4 : column)
        wrap.add(String(clock)) { style.paint($0, .dim) }
        wrap.add(words: subject, gap: 2)
        let colour = summary.tone.colour
        let text = style.spelled(ForeignText.line(summary.headline)) + (summary.detail.isEmpty ? "" : ";")
        wrap.add(words: text, gap: max(2, isNarrow ? 0 : column - wrap.used)) { word in
            colour.map { style.paint(word, $0) } ?? word
        }
        wrap.add(words: style.spelled(ForeignText.line(summary.detail)))
        if let number { wrap.add("#\(number)", gap: 2) { style.paint($0, .dim) } }
        return wrap.lines
    }

    /// A summary by the members of an event's `data` that are neither arrays nor objects: `code=timeout, target=office`.
    private static func unknown(_ event: AgentEvent, _ json: [UInt8]) -> EventSummary {
        let members = JSONDocument(json)?.root.member("data")?.members ?? []
        let plain = members.filter { ![.array, .object, .null].contains($0.value.kind) }
            .map { (name: ForeignText($0.name.text), value: $0.value) }
            .sorted { $0.name < $1.name }
        let words = plain.prefix(maximumMembers).map { name, value in
            let text = value.string ?? String(decoding: value.text, as: UTF8.self)
            return "\(String(decoding: name.bytes, as: UTF8.self))=\(text)"
        }
        return EventSummary(
            subject: EventType.shortName(of: event.type) + (event.isGeneral ? "" : " \(event.subject)"),
            headline: words.joined(separator: ", ")
        )
    }
}

extension EventSummary.Tone {
    /// Red for a loss, green for a recovery, yellow for what needs attention.
    var colour: TerminalStyle.Colour? {
        switch self {
        case .loss: .red
        case .recovery: .green
        case .trouble: .yellow
        case .neutral: nil
        }
    }
}

/// The parts of a local time, as `Timestamp.localDescription` writes it.
private struct LocalTime {
    /// The day, and the offset where there is one: `2026-11-21 +01:00`.
    let day: Substring
    /// The time of the day to the second: `14:02:11`.
    let clock: Substring

    init(_ text: String) {
        let parts = text.split(separator: "T", maxSplits: 1)
        let time = parts.count == 2 ? parts[1] : ""
        let zone = time.dropFirst(8).drop { $0 == "." || $0.isNumber }
        clock = time.prefix(8)
        let date = parts.first ?? ""
        day = zone.isEmpty ? date : "\(date) \(zone)"
    }
}

/// The format in which events are printed.
enum EventFormat: Sendable {
    /// One JSON object a line, as on the wire.
    case json
    /// Lines for people.
    ///
    /// - Parameter showsPaths: Whether each edge of a path is shown, which `reachability.changed` and `target.changed`
    ///   repeat as soon as it has held.
    case human(EventLines, showsPaths: Bool)

    /// The format on standard output; `nil` for none.
    init?(_ format: OutputFormat, style: TerminalStyle, showsPaths: Bool, today: Timestamp? = nil) {
        switch format {
        case .json: self = .json
        case .human: self = .human(EventLines(style: style, today: today), showsPaths: showsPaths)
        case .none: return nil
        }
    }

    /// The bytes of events, each with the end of its line.
    mutating func text(_ events: [Event]) -> [UInt8] {
        var text: [UInt8] = []
        for event in events {
            switch self {
            case .json: text += Terminal.json(event.line) + [UInt8(ascii: "\n")]
            case .human(var lines, let showsPaths):
                guard showsPaths || event.type != .pathChanged else { continue }
                for line in lines.lines(of: event) { text += TerminalText.bytes(of: "\(line)\n") }
                self = .human(lines, showsPaths: showsPaths)
            }
        }
        return text
    }
}

/// Words that are wrapped to a width, and coloured afterwards.
///
/// A word is broken only if it does not fit on a line of its own.
private struct WordWrap {
    private let columns: Int
    private let hanging: Int
    private var finished: [String] = []
    private var line = ""
    /// The columns of the current line that are in use.
    private(set) var used = 0
    /// True before the first word of a line.
    private var isAtStart = true

    /// Lines of so many columns; all but the first are indented.
    init(columns: Int, hanging: Int) {
        self.columns = columns
        self.hanging = hanging
    }

    /// The lines so far.
    var lines: [String] { finished + (isAtStart && !finished.isEmpty ? [] : [line.trimmingEnd]) }

    /// Adds the words of a text, with spaces between them.
    mutating func add(words text: String, gap: Int = 1, paint: (String) -> String = { $0 }) {
        for (index, word) in text.split(separator: " ").enumerated() {
            add(String(word), gap: index == 0 ? gap : 1, paint: paint)
        }
    }

    /// Adds a word.
    ///
    /// - Parameters:
    ///   - gap: The spaces before it, unless it begins a line.
    ///   - paint: Gives it its colour; the width is that of the plain text.
    mutating func add(_ word: String, gap: Int = 1, paint: (String) -> String = { $0 }) {
        guard !word.isEmpty else { return }
        let width = word.displayWidth
        if !isAtStart, used > columns - gap - width { breakLine() }
        if !isAtStart { append(String(repeating: " ", count: gap), width: gap) }
        if used <= columns - width { return append(paint(word), width: width) }
        var piece = ""
        for character in word {
            let width = String(character).displayWidth
            if used + piece.displayWidth + width > columns, !piece.isEmpty {
                append(paint(piece), width: piece.displayWidth)
                breakLine()
                piece = ""
            }
            piece.append(character)
        }
        append(paint(piece), width: piece.displayWidth)
    }

    private mutating func append(_ text: String, width: Int) {
        line += text
        used += width
        isAtStart = false
    }

    private mutating func breakLine() {
        finished.append(line.trimmingEnd)
        line = String(repeating: " ", count: hanging)
        used = hanging
        isAtStart = true
    }
}
