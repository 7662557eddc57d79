/// How a run of a hook ended, in the words that people read.
///
/// The agent makes these words of its own values, and a reader of the journal or of a status the same ones of the JSON.
package struct HookEnding: Sendable, Hashable {
    /// Why a file is not run.
    package struct Refusal: Sendable, Hashable {
        /// The code.
        package var code: String
        /// The file or folder at fault.
        package var path: String
        /// What was found.
        package var evidence: String
        /// What mends it.
        package var remedy: String

        /// A refusal.
        package init(code: String, path: String, evidence: String, remedy: String) {
            self.code = code
            self.path = path
            self.evidence = evidence
            self.remedy = remedy
        }
    }

    /// The outcome's name.
    package var outcome: String
    /// The program's exit status.
    package var exitStatus: Int64?
    /// The signal's name.
    package var signal: String?
    /// Why the file is not run.
    package var refusal: Refusal?
    /// Why no process could be made.
    package var reason: String?
    /// The code of the check that a request came to.
    package var code: String?
    /// Its evidence.
    package var detail: String?
    /// The status of the last response.
    package var httpStatus: Int64?
    /// How many times a request was sent.
    package var attempts: Int64?
    /// How long the run took.
    package var milliseconds: Int64?

    /// An ending of which nothing else is known.
    package init(outcome: String) { self.outcome = outcome }

    /// Whether the hook did what it was to do.
    package var isSuccess: Bool { outcome == "succeeded" }

    /// `failed: exit status 3 after 1.2 s`.
    package var words: String { head + (refusal == nil && reason == nil ? after : "") + tail }

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
        return milliseconds.map { " after\(times) \(SummaryText.lasting(milliseconds: $0))" } ?? ""
    }

    private var tail: String { outcome == "undelivered" ? detail.map { "; \($0)" } ?? "" : "" }
}
