internal import AgentEvents
internal import EventJournal
internal import StateSocket

/// The journal as the sockets replay it.
struct JournalReplay: ReplaySource {
    let journal: EventJournal

    var oldestSequence: UInt64? { journal.oldestSequence }

    func replay(after sequence: UInt64) throws -> any Replay {
        let reader = try JournalReader(directory: journal.configuration.directory)
        return Reading(cursor: reader.events(after: sequence))
    }

    func firstSequence(from time: Timestamp) throws -> UInt64? {
        try JournalReader(directory: journal.configuration.directory).firstSequence(from: time)
    }

    private final class Reading: Replay {
        private var cursor: JournalCursor

        init(cursor: JournalCursor) { self.cursor = cursor }

        func next(atMost bytes: Int) throws -> ReplayChunk {
            guard let chunk = try cursor.next(atMost: bytes) else { return ReplayChunk() }
            return ReplayChunk(
                bytes: chunk.bytes,
                lines: chunk.lines.map { line in
                    ReplayChunk.Line(
                        text: line.range,
                        sequence: line.sequence,
                        type: line.type,
                        subject: line.subject
                    )
                },
                missing: chunk.missing
            )
        }
    }
}
