public import EventEnvelope

extension EventDraft {
    /// `agent.hello`.
    ///
    /// - Parameters:
    ///   - version: The agent's version.
    ///   - origin: The origin that the event is made with: it names the boot and the stream.
    ///   - sequence: The number after which the events that follow begin.
    ///   - oldestSequence: The oldest number that can be replayed; `nil` when none can.
    ///   - processID: The agent's process.
    public static func agentHello(
        version: String,
        origin: EventOrigin,
        sequence: UInt64,
        oldestSequence: UInt64?,
        processID: Int32
    ) -> EventDraft {
        EventDraft(.agentHello, subject: agentSubject, summary: "agent \(version), event \(sequence)") { json in
            json.member("version", version)
            json.member("schema", schemaVersion)
            json.member("boot_id", ifPresent: origin.bootID)
            json.member("stream", origin.streamID)
            json.member("seq", sequence)
            json.member("oldest_seq", ifPresent: oldestSequence) { $0.number($1) }
            json.member("pid", processID)
        }
    }

    /// `journal.degraded`.
    ///
    /// - Parameters:
    ///   - code: What is, or was, the matter; snake_case.
    ///   - detail: The particulars, for people.
    ///   - isDegraded: Whether it is so now; `false` when the journal can be written again.
    ///   - missing: The numbers of the events that the journal does not have because of it, as far as they are known.
    public static func journalDegraded(
        code: String,
        detail: String?,
        isDegraded: Bool,
        missing: ClosedRange<UInt64>?
    ) -> EventDraft {
        EventDraft(
            .journalDegraded,
            subject: agentSubject,
            summary: journalSummary(code: code, detail: detail, isDegraded: isDegraded, missing: missing)
        ) { json in
            json.member("degraded", isDegraded)
            json.member("code", code)
            json.member("detail", ifPresent: detail)
            json.member("missing_first_seq", ifPresent: missing?.lowerBound) { $0.number($1) }
            json.member("missing_last_seq", ifPresent: missing?.upperBound) { $0.number($1) }
        }
    }

    private static func journalSummary(
        code: String,
        detail: String?,
        isDegraded: Bool,
        missing: ClosedRange<UInt64>?
    ) -> String {
        let what = isDegraded ? "the journal cannot be written" : "the journal is written again"
        let hole = missing.map { "; events \($0.lowerBound) to \($0.upperBound) are missing from it" } ?? ""
        return "\(what) [\(code)]" + (detail.map { "; \($0)" } ?? "") + hole
    }
}
