internal import AgentEvents
internal import Availability
internal import EventJournal
internal import Glibc

/// A journal that a report is about.
struct ReportedJournal {
    /// The path of its directory.
    let path: String
    /// True to show on a terminal how far reading has come.
    var showsProgress = true
    /// Takes what is left out, as a sentence.
    var warn: (String) -> Void = { Terminal.printError("reachagent: \($0)") }
    /// True once nothing needs the account any more.
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

    /// Adds up the journal.
    func account(of window: Window) throws -> Account {
        let reader = try JournalReader(directory: path, includesHistory: true)
        // Before the events are read: an agent that starts meanwhile has not lived until now.
        let isWritten = isWritten
        let now = Timestamp.now
        var accountant = Accountant(window: window)
        var cursor = reader.events()
        var corruptLines = 0
        var progress = showsProgress ? ReadingProgress(over: 0...(try reader.newestSequence ?? 0)) : nil
        defer { progress?.end() }
        while true {
            if isCancelled() { throw CancellationError() }
            let next: JournalChunk?
            do throws(JournalError) {
                next = try cursor.next(atMost: Self.chunkBytes)
            } catch {
                guard case .malformed = error.cause else { throw error }
                progress?.end()
                warn("\(error); what follows it is counted")
                continue
            }
            guard let chunk = next else { break }
            corruptLines += chunk.corruptLines
            for line in chunk.lines { try Self.add(line, of: chunk, to: &accountant) }
            if let last = chunk.lines.last { progress?.note(last.sequence) }
        }
        if corruptLines > 0 {
            warn("damaged lines of the journal that were left out: \(corruptLines)")
        }
        return accountant.account(aliveUntil: isWritten ? now : nil)
    }

    private static func add(_ line: JournalLine, of chunk: JournalChunk, to accountant: inout Accountant) throws {
        let type = EventType(rawValue: String(decoding: chunk.bytes[line.type], as: UTF8.self))
        // A year has many summaries, and those from before the window count for nothing.
        let isPassed = type == .probeSummary && line.time < accountant.window.start
        guard !isPassed, Accountant.needsContent(type), let event = AgentEvent(line: Array(chunk.bytes[line.range]))
        else {
            return accountant.add(sequence: line.sequence, time: line.time)
        }
        if case .agentStarted(let start) = event.content, start.schema > AgentEvent.schemaVersion {
            throw NewerVersion(version: start.version, schema: start.schema)
        }
        accountant.add(event)
    }

    /// True while an agent holds the journal's lock, which a copy of the journal does not have.
    ///
    /// The kernel's list is read, because taking the lock for a moment could keep an agent from starting.
    private var isWritten: Bool {
        var entry = stat()
        guard stat("\(path)/lock", &entry) == 0, let list = fopen("/proc/locks", "re") else { return false }
        defer { fclose(list) }
        let inode = ":\(entry.st_ino)"
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), list) != nil {
            // "1: FLOCK  ADVISORY  WRITE 1234 08:01:131 0 EOF"
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split(separator: " ")
            if words.count > 5, words[1] == "FLOCK", words[3] == "WRITE", words[5].hasSuffix(inode) { return true }
        }
        return false
    }
}
