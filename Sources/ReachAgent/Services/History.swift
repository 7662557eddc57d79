internal import EventEnvelope
internal import EventJournal

/// The events of a journal that somebody asks for.
struct History {
    /// How much is read at once.
    private static let chunkBytes = 256 << 10

    private let reader: JournalReader
    private let filter: EventFilter
    private var after: UInt64 = 0
    private var from: Timestamp?
    private var through: UInt64 = .max
    private var until: Timestamp?

    /// Events of a range, by number or time, that pass a filter.
    init(reader: JournalReader, since: EventPosition?, until: EventPosition?, filter: EventFilter) {
        self.reader = reader
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
        try read { _, lines in
            for line in lines {
                if newest.count < count {
                    newest.append(line.sequence)
                } else {
                    newest[oldestPlace] = line.sequence
                    oldestPlace = (oldestPlace + 1) % count
                }
            }
        }
        // An event that is written from now on is not part of the answer.
        guard let first = newest.min(), let last = newest.max() else { return through = 0 }
        after = first - 1
        through = last
    }

    /// Hands over what the journal holds at the moment, and tells on standard error what is damaged.
    ///
    /// - Parameter body: Is given each chunk, and those of its lines that were asked for.
    func forEachChunk(_ body: (JournalChunk, [JournalLine]) throws(StandardOutput.Failure) -> Void) throws {
        try read({ Terminal.printError("reachagent: \($0); what follows it is shown") }, body)
    }

    private func read(
        _ note: (JournalError) -> Void = { _ in },
        _ body: (JournalChunk, [JournalLine]) throws(StandardOutput.Failure) -> Void
    ) throws {
        var cursor = reader.events(after: after, from: from, through: through)
        while true {
            let next: JournalChunk?
            do throws(JournalError) {
                next = try cursor.next(atMost: Self.chunkBytes)
            } catch {
                guard case .malformed = error.cause else { throw error }
                note(error)
                continue
            }
            guard let chunk = next else { return }
            try body(
                chunk,
                chunk.lines.filter { line in
                    if let until, line.time > until { return false }
                    return filter.passes(type: chunk.bytes[line.type], subject: chunk.bytes[line.subject])
                }
            )
        }
    }
}
