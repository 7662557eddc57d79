internal import AgentEvents
internal import EventJournal
internal import Glibc

/// The requested events of a journal.
struct History {
    /// The number of bytes read at once.
    private static let chunkBytes = 256 << 10

    private let reader: JournalReader
    private let filter: EventFilter
    /// `true` if the events in the place of omitted ones are shown.
    private let showsOmitted: Bool
    private var after: UInt64 = 0
    private var from: Timestamp?
    private var through: UInt64 = .max
    private var until: Timestamp?
    /// The progress display; `nil` to show nothing.
    var progress: ReadingProgress?
    /// The name of the stream to which the numbers belong.
    private var stream: String?
    /// The end of the last reading.
    private var cursor: JournalCursor?
    /// The subjects that were read, if the filter has one.
    private(set) var subjects: Set<[UInt8]> = []
    private static let maximumSubjects = 256

    /// Events of a range, by number or time, that pass a filter.
    init(
        reader: JournalReader,
        since: EventPosition?,
        until: EventPosition?,
        filter: EventFilter,
        showsOmitted: Bool = false
    ) {
        self.reader = reader
        stream = try? reader.streamID
        self.showsOmitted = showsOmitted
        self.filter = filter
        switch since {
        case .number(let number): after = number
        case .moment(let moment): from = moment
        case nil: break
        }
        switch until {
        case .number(let number): through = number
        case .moment(let moment): self.until = moment
        case nil: break
        }
    }

    /// Leaves out all but the newest events.
    mutating func keepNewest(_ count: Int) throws {
        var newest: [UInt64] = []
        var oldestPlace = 0
        // Without events after the requested number, those up to it must not follow later either.
        var end = after
        try read { chunk, lines in
            end = max(end, chunk.lines.last?.sequence ?? 0)
            for line in lines {
                if newest.count < count {
                    newest.append(line.sequence)
                } else {
                    newest[oldestPlace] = line.sequence
                    oldestPlace = (oldestPlace + 1) % count
                }
            }
        }
        // An event that is written from now on is not part of the result.
        through = end
        after = newest.min().map { $0 - 1 } ?? end
        cursor = nil
    }

    /// Reads the current contents of the journal, and reports damage on standard error.
    ///
    /// - Parameter body: Called with each chunk, and with those of its lines that were requested.
    mutating func forEachChunk(_ body: (JournalChunk, [JournalLine]) throws(StandardOutput.Failure) -> Void) throws {
        try read({ Terminal.printError("reachagent: \($0); reading continues after it") }, body)
    }

    /// Reads what was written since, in the same way.
    mutating func forEachNewChunk(_ body: (JournalChunk, [JournalLine]) throws(StandardOutput.Failure) -> Void) throws {
        if through < .max {
            (after, through) = (through, .max)
            cursor = nil
        }
        try forEachChunk(body)
    }

    /// Returns `true` if another journal has taken the place of the one that was read; it is then read from its beginning,
    /// because its numbers are others.
    mutating func isOfNewStream() throws(JournalError) -> Bool {
        guard let found = try reader.streamID else { return false }
        defer { stream = found }
        guard let stream, stream != found else { return false }
        (after, through) = (0, .max)
        cursor = nil
        return true
    }

    private mutating func read(
        _ note: (JournalError) -> Void = { _ in },
        _ body: (JournalChunk, [JournalLine]) throws(StandardOutput.Failure) -> Void
    ) throws {
        var cursor = self.cursor ?? reader.events(after: after, from: from, through: through)
        defer {
            self.cursor = cursor
            progress?.end()
        }
        func noteDamage(_ error: JournalError) {
            progress?.end()
            note(error)
        }
        while let chunk = try cursor.nextRecorded(atMost: Self.chunkBytes, noteDamage: noteDamage) {
            if filter.hasSubject { remember(subjectsOf: chunk) }
            let lines = chunk.lines.filter { isWanted($0, of: chunk) }
            if !lines.isEmpty || !chunk.missing.isEmpty { progress?.makeRoom() }
            try body(chunk, lines)
            if let last = chunk.lines.last { progress?.note(last.sequence) }
        }
    }

    private func isWanted(_ line: JournalLine, of chunk: JournalChunk) -> Bool {
        if let until, line.time > until { return false }
        let type = chunk.bytes[line.type]
        guard showsOmitted || !type.elementsEqual(EventType.eventsOmitted.rawValue.utf8) else { return false }
        return filter.passes(type: type, subject: chunk.bytes[line.subject])
    }

    private mutating func remember(subjectsOf chunk: JournalChunk) {
        for line in chunk.lines where subjects.count < Self.maximumSubjects {
            subjects.insert(Array(chunk.bytes[line.subject]))
        }
    }
}

/// The share of a journal that was read, on the last line of a terminal, where reading takes a while.
struct ReadingProgress {
    /// The time after which the progress is shown.
    private static let delay: Duration = .milliseconds(500)
    /// The time between two updates.
    private static let interval: Duration = .milliseconds(100)

    private let last: UInt64
    /// The number with which reading began, once it is known.
    private var first: UInt64?
    private let isTerminal = TerminalStyle.canRedraw(STDERR_FILENO)
    private let hasOutput = isatty(STDOUT_FILENO) == 1
    private var due = ContinuousClock.now + delay
    private var isShown = false

    /// The progress through the numbers of events up to the last one, of which many may be missing.
    init(through last: UInt64) { self.last = last }

    /// Updates the display if it is due.
    mutating func note(_ sequence: UInt64) {
        let first = first ?? sequence
        self.first = first
        guard isTerminal, due <= .now, first <= sequence, sequence <= last else { return }
        due = .now + Self.interval
        isShown = true
        let share = Double(sequence - first) / Double(max(1, last - first))
        Self.write("\rreading the journal: \(Int(share * 100)) %")
    }

    /// Removes the line before something is printed on the terminal, which shows progress itself.
    mutating func makeRoom() {
        guard hasOutput else { return }
        end()
        due = .now + Self.delay
    }

    /// Removes the line.
    mutating func end() {
        guard isShown else { return }
        isShown = false
        Self.write("\r\u{1B}[K")
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
