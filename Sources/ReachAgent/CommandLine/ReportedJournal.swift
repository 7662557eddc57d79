internal import AgentEvents
internal import Availability
internal import EventJournal

/// The journal of a report.
struct ReportedJournal {
    /// The path of its directory.
    let path: String
    /// True to show the progress of reading on a terminal.
    var showsProgress = true
    /// Called with each omission, as a sentence.
    var warn: (String) -> Void = { Terminal.printError("reachagent: \($0)") }
    /// Returns true once the result is no longer needed.
    var isCancelled: () -> Bool = { false }

    /// The journal has events of a schema that this version does not know.
    struct NewerVersion: Error, CustomStringConvertible {
        let version: String
        let schema: Int

        var description: String {
            """
            the journal was written by reachagent \(version) with schema \(schema), and this version reads schema \
            \(AgentEvent.schemaVersion); use that version
            """
        }
    }

    private static let chunkBytes = 256 << 10
    /// The time from the first event after the window in which events are still read: events are published after they
    /// were observed, and a suspend, which may be longer than any bound, is reported afterwards.
    private static let afterwards: Int64 = 86_400_000_000

    /// Computes the availability from the journal.
    ///
    /// Reading starts at the last start of an agent before the window, because nothing before it matters.
    func account(of window: Window, _ selection: Report.Selection = .everything) throws -> Account {
        let reader = try JournalReader(directory: path, includesHistory: true)
        // The moment first, then the agent, and the events last: what the agent recorded until that moment is read.
        let now = Timestamp.now
        let activity = reader.activity
        var accountant = Accountant(window: window, selection: selection)
        let extent = try reader.extent(from: window.start, to: window.end, beginningWith: .agentStarted)
        guard let extent else { return accountant.account() }
        var cursor = reader.events(after: extent.first - 1)
        var corruptLines = 0
        var progress = showsProgress ? ReadingProgress(through: extent.last) : nil
        defer { progress?.end() }
        var end: Timestamp?
        func noteDamage(_ error: JournalError) {
            progress?.end()
            warn("\(error); reading continues after it")
        }
        reading: while let chunk = try cursor.nextRecorded(atMost: Self.chunkBytes, noteDamage: noteDamage) {
            if isCancelled() { throw CancellationError() }
            corruptLines += chunk.corruptLines
            for line in chunk.lines {
                if line.sequence > extent.last {
                    let latest = end ?? line.time.advanced(byMicroseconds: Self.afterwards)
                    end = latest
                    if line.time >= latest { break reading }
                }
                try Self.add(line, of: chunk, to: &accountant)
            }
            if let last = chunk.lines.last { progress?.note(last.sequence) }
        }
        if corruptLines > 0 {
            warn("damaged lines of the journal that were left out: \(corruptLines)")
        }
        switch activity {
        case .none: return accountant.account()
        case .recording: return accountant.account(aliveUntil: now)
        case .degraded: return accountant.account(isDegraded: true)
        }
    }

    /// The times of the first and the last event; `nil` for a journal without events.
    func times() throws(JournalError) -> (first: Timestamp, last: Timestamp)? {
        let reader = try JournalReader(directory: path, includesHistory: true)
        var oldest = reader.events()
        guard let first = try oldest.firstRecorded()?.time, let number = try reader.newestSequence else { return nil }
        var newest = reader.events(after: number - 1)
        return (first, try newest.firstRecorded()?.time ?? first)
    }

    private static func add(_ line: JournalLine, of chunk: JournalChunk, to accountant: inout Accountant) throws {
        let text = chunk.bytes.span.extracting(line.range)
        let type = chunk.type(of: line)
        if type == .agentStarted, let event = AgentEvent(line: Array(chunk.bytes[line.range])),
            case .agentStarted(let start) = event.content, start.schema > AgentEvent.schemaVersion
        {
            throw NewerVersion(version: start.version, schema: start.schema)
        }
        accountant.add(text, type: type, sequence: line.sequence, time: line.time)
    }
}

extension Timestamp {
    fileprivate func advanced(byMicroseconds duration: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: microsecondsSince1970.addingReportingOverflow(duration).partialValue)
    }
}
