/// The outcomes of a hook's run.
///
/// The codes are part of the event schema: a code is never renamed and never reused.
public enum HookOutcome: String, Sendable, Hashable, CaseIterable {
    /// Exit status 0, or an accepted response.
    case succeeded
    /// Another exit status.
    case exited
    /// Ended by a signal from another process.
    case signaled
    /// Timed out, and killed by the agent.
    case timedOut = "timed_out"
    /// Not run, because the file is not trusted or not executable.
    case refused
    /// Not run, because the system could not create a process.
    case notStarted = "not_started"
    /// Stopped, because the agent stopped before the run had ended.
    case stopped
    /// A request that was not accepted.
    case undelivered
}
