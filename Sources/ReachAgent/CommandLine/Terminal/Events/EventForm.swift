internal import AgentEvents

/// The form in which events are printed.
enum EventForm: Sendable {
    /// One JSON object a line, as on the wire.
    case json
    /// Lines for people.
    ///
    /// - Parameter showsPaths: Whether each edge of a path is shown, which `reachability.changed` and `target.changed`
    ///   repeat as soon as it has held.
    case human(EventLines, showsPaths: Bool)

    /// The form of a format on standard output; `nil` for none.
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
