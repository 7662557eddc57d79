internal import AgentEvents
internal import Availability
internal import EventJournal
internal import StatePages

/// Reads the recent history from a journal; of irrelevant events it reads only number and time.
struct JournalReading {
    private static let chunkBytes = 256 << 10

    private let path: String
    private var lastRead: UInt64?

    init(of path: String) { self.path = path }

    /// Returns whether an event was among those that were read.
    ///
    /// An event is recorded before anyone else gets it, and may come to a reader both ways.
    func hasRead(_ event: AgentEvent) -> Bool {
        guard let lastRead, let sequence = event.sequence else { return false }
        return sequence <= lastRead
    }

    /// Adds the events of the days of a history.
    ///
    /// Reading starts at the last start of an agent before these days, because nothing before it matters. From there on
    /// no event is left out for its time: a device without a clock of its own boots in 1970.
    mutating func add(to history: inout RecentHistory?, at now: Timestamp) {
        guard let start = history?.availability.start, let end = history?.availability.end,
            let reader = try? JournalReader(directory: path, includesHistory: true),
            let extent = try? reader.extent(from: start, to: end, beginningWith: .agentStarted)
        else { return }
        var cursor = reader.events(after: extent.first - 1)
        // The newest lines for the timeline: which of them are the newest is known at the end only.
        var (settled, frequent): ([[UInt8]], [[UInt8]]) = ([], [])
        // Damage is a gap, about which nothing is known; the bus has what is written from now on.
        while let chunk = try? cursor.nextRecorded(atMost: Self.chunkBytes) {
            lastRead = chunk.lines.last?.sequence ?? lastRead
            for line in chunk.lines {
                let type = chunk.type(of: line)
                let bytes = chunk.bytes[line.range]
                if Timeline.isFrequent(type) {
                    Self.append(bytes, to: &frequent, atMost: Timeline.maximumFrequent)
                } else if Timeline.shows(type) {
                    Self.append(bytes, to: &settled, atMost: Timeline.maximumSettled)
                }
                Self.add(line, type, bytes, to: &history, at: now)
            }
        }
        for event in (settled + frequent).compactMap(AgentEvent.init(line:)) { history?.timeline.add(event) }
    }

    private static func add(
        _ line: JournalLine,
        _ type: EventType?,
        _ bytes: ArraySlice<UInt8>,
        to history: inout RecentHistory?,
        at now: Timestamp
    ) {
        if RecentAvailability.needsContent(type), let event = AgentEvent(line: Array(bytes)) {
            history?.availability.add(event)
            return
        }
        history?.availability.add(sequence: line.sequence, time: line.time)
        guard type == .probeSummary, RecentTransfers.covers(line.time, at: now) else { return }
        guard RecentLatency.covers(line.time, at: now) else {
            // Of the days before only transfers matter, and almost no summary has one.
            if Self.hasTransfer(bytes), let summary = summary(bytes) { history?.transfers.add(summary) }
            return
        }
        guard case .probeSummary(let summary)? = AgentEvent(line: Array(bytes))?.content else { return }
        history?.latency.add(summary)
        history?.transfers.add(ScannedSummary(summary))
    }

    /// The member in a line; a string cannot have it, because its quotation marks are escaped.
    private static let transferMember = Array("\"transfer\":{".utf8)

    private static func hasTransfer(_ line: ArraySlice<UInt8>) -> Bool {
        line.withUnsafeBufferPointer { line in
            transferMember.withUnsafeBufferPointer { member in
                guard line.count >= member.count else { return false }
                return (0...line.count - member.count).contains { start in
                    line[start + 1] == member[1] && line[start..<start + member.count].elementsEqual(member)
                }
            }
        }
    }

    private static func summary(_ bytes: ArraySlice<UInt8>) -> ScannedSummary? {
        let line = Array(bytes)
        if let summary = ScannedSummary(line.span) { return summary }
        guard case .probeSummary(let summary)? = AgentEvent(line: line)?.content else { return nil }
        return ScannedSummary(summary)
    }

    private static func append(_ bytes: ArraySlice<UInt8>, to lines: inout [[UInt8]], atMost limit: Int) {
        if lines.count == limit { lines.removeFirst() }
        lines.append(Array(bytes))
    }
}
