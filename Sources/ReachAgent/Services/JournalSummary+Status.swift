internal import EventEnvelope
internal import EventJournal
internal import EventSchema

extension JournalSummary {
    /// What the status tells of a journal.
    init(_ status: JournalStatus) {
        self.init(
            directory: status.directory,
            oldestSequence: status.oldestSequence,
            newestSequence: status.newestSequence,
            segments: status.segments,
            bytes: UInt64(max(0, status.bytes)),
            trouble: status.trouble.map { Trouble(code: $0.code.rawValue, detail: $0.text) },
            missing: status.missing,
            sync: Sync(status.syncPolicy)
        )
    }
}

extension JournalSummary.Sync {
    fileprivate init(_ policy: SyncPolicy) {
        switch policy {
        case .always: self = .always
        case .interval(let limit): self = .interval(limit)
        case .never: self = .never
        }
    }
}

extension EventDraft {
    /// The event for a change of the journal's condition.
    static func journal(_ condition: JournalCondition) -> EventDraft {
        .journalDegraded(
            code: condition.code.rawValue,
            detail: condition.text,
            isDegraded: condition.isTrouble,
            missing: condition.missing
        )
    }
}

extension JournalCondition {
    /// The particulars with the kernel's reason.
    fileprivate var text: String { error.map { "\(detail): \($0)" } ?? detail }
}
