extension HookCompletion {
    /// `hook vpn failed: exit status 3 after 1.2 s [reachability.changed 42], 3 times in a row; wg: no such device`.
    public var summary: String {
        let event = triggerSequence.map { "\(trigger) \($0)" } ?? trigger
        var text = "hook \(hook) \(ending.words) [\(event)]"
        if superseded > 0 { text += ", \(superseded) \(superseded == 1 ? "event" : "events") before it dropped" }
        if failures > 1 { text += ", \(failures) times in a row" }
        if let pausedMilliseconds {
            text += ", left alone for \(SummaryText.lasting(milliseconds: pausedMilliseconds))"
        }
        if let refusal = ending.refusal { return "\(text); \(refusal.remedy)" }
        guard !ending.isSuccess, let line = SummaryText.lastLine(output ?? "") else { return text }
        return "\(text); \(line)"
    }
}

extension HookEnding {
    /// True when the hook did what it was to do.
    public var isSuccess: Bool { outcome == "succeeded" }

    /// `failed: exit status 3 after 1.2 s`.
    public var words: String { head + (refusal == nil && reason == nil ? after : "") + tail }

    private var head: String {
        switch outcome {
        case "succeeded": "succeeded" + (httpStatus.map { ": HTTP \($0)" } ?? "")
        case "exited": "failed: exit status \(exitStatus.map(String.init) ?? "unknown")"
        case "signaled": "failed: ended by \(signal ?? "a signal")"
        case "timed_out": "failed: not done in time, and ended"
        case "refused": "refused" + (refusal.map { ": \($0.path): \($0.evidence) [\($0.code)]" } ?? "")
        case "not_started": "not started" + (reason.map { ": \($0)" } ?? "")
        case "stopped": "ended with the agent"
        case "undelivered":
            "failed: " + (httpStatus.map { "HTTP \($0)" } ?? "not delivered") + (code.map { " [\($0)]" } ?? "")
        default: outcome
        }
    }

    private var after: String {
        let times = attempts.flatMap { $0 > 1 ? " \($0) attempts," : nil } ?? ""
        return durationMilliseconds.map { " after\(times) \(SummaryText.lasting(milliseconds: $0))" } ?? ""
    }

    private var tail: String { outcome == "undelivered" ? detail.map { "; \($0)" } ?? "" : "" }
}
