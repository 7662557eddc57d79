internal import AgentEvents
internal import ForeignText
internal import StateClient

/// The lines of `watch` for the items of a stream.
struct WatchText {
    /// One line.
    enum Line: Hashable {
        /// A line of the agent, for standard output.
        case json([UInt8])
        /// Text for standard output.
        case text(String)
        /// A notice about the stream itself, for standard error.
        case notice(String)
    }

    private var format: EventFormat
    private let socket: String
    /// Events before this time are left out, until the first one that is not.
    private var from: Timestamp?
    /// The last number that was seen, and the stream that it belongs to.
    private var lastNumber: UInt64?
    private var stream: String?
    /// The number of the agent's last event on connecting.
    private var newest: UInt64 = 0
    private var isAway = false

    /// The text of one run.
    ///
    /// - Parameters:
    ///   - format: The format in which events are printed.
    ///   - socket: The socket's path.
    ///   - since: The event or the time after which the stream was requested.
    init(_ format: EventFormat, socket: String, since: EventPosition? = nil) {
        self.format = format
        self.socket = ForeignText.line(socket)
        switch since {
        case .number(let number): lastNumber = number
        case .moment(let moment): from = moment
        case nil: break
        }
    }

    /// The lines for an item.
    mutating func lines(for item: StreamItem) -> [Line] {
        switch item {
        case .connected(let hello): connected(hello)
        case .snapshot(let line): snapshot(line)
        case .event(let line): event(line)
        case .interrupted(let error, _): interrupted(error)
        case .missed(let range): missed(range)
        case .dropped(let count): dropped(count)
        case .restarted(let former, let stream): restarted(from: former, to: stream)
        }
    }

    private mutating func connected(_ hello: StreamHello) -> [Line] {
        var lines: [Line] = []
        if isAway {
            var text = stream == nil ? "connected" : "connected again"
            text += " (agent \(ForeignText.line(hello.version)))"
            if stream == hello.stream, let lastNumber { text += "; resuming after event #\(lastNumber)" }
            lines.append(.notice(text))
        }
        // The number of a hello that begins with a snapshot counts like that of an event.
        if stream != hello.stream, stream != nil || lastNumber == nil { lastNumber = hello.sequence }
        stream = hello.stream
        newest = hello.sequence
        isAway = false
        if case .json = format { lines.append(.json(hello.line.bytes)) }
        return lines
    }

    private mutating func event(_ line: StreamLine) -> [Line] {
        if let number = line.sequence { lastNumber = number }
        if let from, let time = line.scanned.time {
            guard time >= from else { return [] }
            self.from = nil
        }
        switch format {
        case .json: return [.json(line.bytes)]
        case .human(var lines, let showsPaths):
            guard showsPaths || line.type != EventType.pathChanged.rawValue else { return [] }
            defer { format = .human(lines, showsPaths: showsPaths) }
            return lines.lines(of: line.bytes).map(Line.text)
        }
    }

    /// An outage is reported once, however many attempts it takes.
    private mutating func interrupted(_ error: StateClientError) -> [Line] {
        defer { isAway = true }
        return isAway ? [] : [.notice(interruption(error))]
    }

    private func interruption(_ error: StateClientError) -> String {
        switch error {
        case .disconnected: return "the agent at \(socket) closed the connection; waiting for it"
        case .refused("agent_stopping", _): return "the agent at \(socket) has stopped; waiting for it"
        case .refused("subscriber_lagged", _):
            return "the agent closed the connection, because its output was not read; resuming"
        case .timedOut: return "the agent at \(socket) does not answer; trying again"
        case .noAgent: return "\(ForeignText.line(error.description)); waiting for it"
        default: return "\(ForeignText.line(error.description)); trying again"
        }
    }

    private mutating func missed(_ range: ClosedRange<UInt64>) -> [Line] {
        let (first, last) = (range.lowerBound, range.upperBound)
        lastNumber = last
        // A request by time asks for the events that still exist since then.
        guard from == nil else { return [] }
        let numbers = first == last ? "event #\(first) is" : "events #\(first) to #\(last) are"
        return [.notice("\(numbers) missing: the agent does not have what happened then any more")]
    }

    private func dropped(_ count: UInt64) -> [Line] {
        let events = count == 1 ? "1 unnumbered event was" : "\(count) unnumbered events were"
        return [.notice("\(events) dropped, because the output was not read in time")]
    }

    /// Only numbers of another stream are known to have restarted; a number of the user's may be a mistake.
    private mutating func restarted(from former: String?, to stream: String) -> [Line] {
        defer { lastNumber = newest }
        guard let former, former != stream else {
            let requested = lastNumber.map { "event #\($0)" } ?? "the event"
            return [.notice("\(requested) is beyond the agent's last one, #\(newest); following from there")]
        }
        return [.notice("the agent restarted its numbering; events after the last one are not known")]
    }

    // MARK: The state

    /// The state now, and that of each target and of the probes.
    private mutating func snapshot(_ line: StreamLine) -> [Line] {
        guard case .human(var lines, let showsPaths) = format else { return [.json(line.bytes)] }
        guard let event = line.event, case .networkSnapshot(let content) = event.content else {
            return [.text("the state now cannot be understood")]
        }
        defer { format = .human(lines, showsPaths: showsPaths) }
        var summaries = [
            EventSummary(subject: "now", headline: OnlineText.state(content.state), tone: Self.tone(content.state))
        ]
        summaries += content.targets.map { target in
            EventSummary(
                subject: "target \(target.name)",
                headline: OnlineText.state(target.state),
                tone: Self.tone(target.state)
            )
        }
        if let probes = ProbeCountText.line(content.probes, omitted: content.probesOmitted ?? 0) {
            summaries.append(EventSummary(subject: "probes", headline: probes))
        }
        return summaries.flatMap { lines.lines($0, at: event.time) }.map(Line.text)
    }

    /// Green for what works as far as is known, yellow for what works in part, red for nothing.
    private static func tone(_ state: ReachabilityState) -> EventSummary.Tone {
        guard let worth = state.worth else { return .neutral }
        if worth >= Connectivity.full.worth { return .recovery }
        return worth >= Connectivity.portal.worth ? .trouble : .loss
    }
}
