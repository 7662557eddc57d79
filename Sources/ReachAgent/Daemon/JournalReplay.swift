internal import AgentEvents
internal import EventJournal
internal import StateSocket

/// The journal as the source from which the sockets replay events.
struct JournalReplay: ReplaySource {
    private let journal: EventJournal

    init(_ journal: EventJournal) { self.journal = journal }

    var oldestSequence: UInt64? { journal.oldestSequence }

    func replay(after sequence: UInt64) throws -> any Replay {
        Reading(try JournalReader(directory: journal.configuration.directory).events(after: sequence))
    }

    func firstSequence(from time: Timestamp) throws -> UInt64? {
        try JournalReader(directory: journal.configuration.directory).firstSequence(from: time)
    }

    private final class Reading: Replay {
        private var cursor: JournalCursor

        init(_ cursor: JournalCursor) { self.cursor = cursor }

        func next(atMost bytes: Int) throws -> ReplayChunk {
            while true {
                do throws(JournalError) {
                    guard let chunk = try cursor.next(atMost: bytes) else { return ReplayChunk() }
                    return ReplayChunk(
                        bytes: chunk.bytes,
                        lines: chunk.lines.map {
                            ReplayChunk.Line(text: $0.range, sequence: $0.sequence, type: $0.type, subject: $0.subject)
                        },
                        missing: chunk.missing
                    )
                } catch {
                    // Damage is a gap: an error would take from the subscriber also the events after it.
                    guard case .malformed = error.cause else { throw error }
                }
            }
        }
    }
}
