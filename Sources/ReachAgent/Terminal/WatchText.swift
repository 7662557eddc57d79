internal import EventEnvelope
internal import ForeignText
internal import StateClient

/// What `watch` prints for what the stream brings.
struct WatchText {
    /// One line.
    enum Line: Hashable {
        /// For standard output.
        case output([UInt8])
        /// For standard error: what happens to the stream itself.
        case notice(String)
    }

    private let isJSON: Bool
    private let socket: String
    /// The last number that was seen, and the stream that it belongs to.
    private var lastNumber: UInt64?
    private var stream: String?
    private var isAway = false

    /// The text of one run.
    ///
    /// - Parameters:
    ///   - isJSON: Whether lines are printed as they are.
    ///   - socket: The socket's path.
    ///   - since: The number after which the stream was asked for.
    init(isJSON: Bool, socket: String, since: UInt64? = nil) {
        self.isJSON = isJSON
        self.socket = ForeignText.line(socket)
        lastNumber = since
    }

    /// The lines for an item.
    mutating func lines(for item: StreamItem) -> [Line] {
        switch item {
        case .connected(let hello): connected(hello)
        case .snapshot(let line): isJSON ? [.output(line.bytes)] : Self.state(line).map { .output(Array($0.utf8)) }
        case .event(let line): event(line)
        case .interrupted(let error, _): interrupted(error)
        case .missed(let range): [.notice(Self.missed(range))]
        case .restarted: [.notice("the agent counts its events anew; what came after the last one cannot be told")]
        }
    }

    private mutating func connected(_ hello: Hello) -> [Line] {
        var lines: [Line] = []
        if isAway {
            var text = stream == nil ? "connected" : "connected again"
            text += " (agent \(ForeignText.line(hello.version)))"
            if stream == hello.stream, let lastNumber { text += "; resuming after event \(lastNumber)" }
            lines.append(.notice(text))
        }
        // The number of a hello that begins with a snapshot is as good as that of an event.
        if stream != hello.stream, stream != nil || lastNumber == nil { lastNumber = hello.sequence }
        stream = hello.stream
        isAway = false
        if isJSON { lines.append(.output(hello.line.bytes)) }
        return lines
    }

    private mutating func event(_ line: StreamLine) -> [Line] {
        if let number = line.sequence { lastNumber = number }
        return [.output(isJSON ? line.bytes : Array(EventText.line(of: line.bytes).utf8))]
    }

    /// An outage is told once, however many attempts it takes.
    private mutating func interrupted(_ error: ClientError) -> [Line] {
        defer { isAway = true }
        return isAway ? [] : [.notice(interruption(error))]
    }

    private func interruption(_ error: ClientError) -> String {
        switch error {
        case .disconnected: return "the agent at \(socket) closed the connection; waiting for it"
        case .refused("agent_stopping", _): return "the agent at \(socket) has ended; waiting for it"
        case .refused("subscriber_lagged", _):
            return "the agent cut the connection, as nobody read what it sent; resuming"
        case .noAgent: return "\(ForeignText.line(error.description)); waiting for it"
        default: return "\(ForeignText.line(error.description)); trying again"
        }
    }

    private static func missed(_ range: ClosedRange<UInt64>) -> String {
        let (first, last) = (range.lowerBound, range.upperBound)
        let numbers = first == last ? "event \(first) is" : "events \(first) to \(last) are"
        return "\(numbers) missing: the agent does not have what happened then any more"
    }

    // MARK: The state

    /// A snapshot for people: the state, and that of each target.
    private static func state(_ line: StreamLine) -> [String] {
        guard let content = try? line.decodeData(SnapshotContent.self) else {
            return ["the state now cannot be understood"]
        }
        let clock = line.scanned.time?.localDescription.split(separator: "T").last.map { "\($0)  " } ?? ""
        let targets = content.targets.map { target in
            "  \(ForeignText.line(target.name)): \(target.state.map { OnlineText.state($0) } ?? "unknown")"
        }
        let probes = ProbeCountText.line(content.probes, omitted: content.probesOmitted ?? 0).map { ["  \($0)"] } ?? []
        return ["\(clock)now: \(content.state.map { OnlineText.state($0) } ?? "unknown")"] + targets + probes
    }
}
