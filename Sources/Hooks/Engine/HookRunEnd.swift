package import AgentEvents
internal import Glibc

/// The kinds of hook.
public enum HookKind: String, Sendable, Hashable {
    /// A file of the folders.
    case folder
    /// A configured program.
    case command
    /// A request.
    case webhook
}

/// The end of a run, of a program or of a request; `AgentEvents.HookEnding` is the same in an event and in the status.
package struct HookRunEnd: Sendable, Hashable {
    /// The outcomes.
    package enum Outcome: Sendable, Hashable {
        /// Exit status 0, or a response that was accepted.
        case succeeded
        /// Another exit status.
        case exited(status: Int32)
        /// Ended by a signal from another process.
        case signaled(Int32)
        /// Not done in time, and ended by the agent.
        case timedOut
        /// Not run, because the file is not to be trusted or cannot be run.
        case refused(HookRefusal)
        /// The system could not make a process.
        case notStarted(reason: String)
        /// The agent ended before the hook had.
        case stopped
        /// A request came to nothing: the code of the last check (`docs/findings.md`), and its evidence.
        case undelivered(code: String, detail: String)
    }

    /// The outcome.
    package var outcome: Outcome
    /// The output of a program, or nothing, or the beginning of a refusing response's body in the form of evidence.
    package var output = HookOutput()
    /// The time from the start to the end, the pauses between attempts included.
    package var duration = Duration.zero
    /// The number of times that a request was sent, or that sending it was started.
    package var attempts = 0
    /// The status of the last attempt's response; nil when none came.
    package var httpStatus: Int?

    /// The consequence for the runs after it.
    var ending: HookQueue<HookOffer>.Ending {
        switch outcome {
        case .succeeded: .succeeded
        case .stopped: .stopped
        default: .failed
        }
    }

    /// The report on it.
    func completion(of hook: RunnableHook, for start: HookQueue<HookOffer>.Start, delay: Duration) -> HookCompletion {
        HookCompletion(
            hook: hook.name,
            kind: hook.kind.rawValue,
            trigger: start.element.event.type.shortName,
            triggerSequence: start.element.event.sequence,
            superseded: start.superseded,
            ending: HookEnding(self, of: hook.kind),
            delayMilliseconds: max(.zero, delay).milliseconds,
            output: output.bytes > 0 ? output.text : nil,
            outputBytes: output.bytes > 0 ? output.bytes : nil,
            outputOmittedBytes: output.omittedBytes > 0 ? output.omittedBytes : nil,
            failures: 0
        )
    }
}

extension HookEnding {
    /// The end of a run of a hook.
    package init(_ end: HookRunEnd, of kind: HookKind) {
        self.init(outcome: "succeeded", durationMilliseconds: end.duration.milliseconds)
        switch end.outcome {
        case .succeeded: if kind != .webhook { exitStatus = 0 }
        case .exited(let status): (outcome, exitStatus) = ("exited", status)
        case .signaled(let number): (outcome, signal) = ("signaled", SignalName.of(number))
        case .timedOut: outcome = "timed_out"
        case .refused(let reason):
            outcome = "refused"
            refusal = Refusal(
                code: reason.code.rawValue,
                path: reason.path,
                evidence: reason.evidence,
                remedy: reason.remedy
            )
        case .notStarted(let reason): (outcome, self.reason) = ("not_started", reason)
        case .stopped: outcome = "stopped"
        case .undelivered(let code, let detail): (outcome, self.code, self.detail) = ("undelivered", code, detail)
        }
        httpStatus = end.httpStatus
        if kind == .webhook { attempts = end.attempts }
    }
}

/// The output of a program: its standard output and error, which are one stream, in the order in which it came.
public struct HookOutput: Sendable, Hashable {
    /// The most bytes that are kept.
    public static let maximumBytes = 4096

    /// The beginning and the end of what it wrote; what is no UTF-8 is replaced.
    public var text: String
    /// The number of bytes that it wrote.
    public var bytes: Int
    /// The number of bytes that were left out between beginning and end.
    public var omittedBytes: Int

    /// An output; by default none.
    public init(text: String = "", bytes: Int = 0, omittedBytes: Int = 0) {
        self.text = text
        self.bytes = bytes
        self.omittedBytes = omittedBytes
    }
}

/// Signals by the names that people know them by (signal(7)).
private enum SignalName {
    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
        SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
        SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN",
        SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM",
        SIGPROF: "SIGPROF", SIGWINCH: "SIGWINCH", SIGIO: "SIGIO", SIGPWR: "SIGPWR", SIGSYS: "SIGSYS",
    ]

    /// The name; `signal 40` for one that has none.
    static func of(_ signal: Int32) -> String { names[signal] ?? "signal \(signal)" }
}
