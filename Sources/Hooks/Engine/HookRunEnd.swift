package import AgentEvents
internal import Glibc

/// The kinds of hook.
public enum HookKind: String, Sendable, Hashable {
    /// A file in the hook directories.
    case file
    /// A configured program.
    case command
    /// A request.
    case webhook
}

/// The end of a run of a program or webhook; `AgentEvents.HookEnding` is its form in events and in the status.
package struct HookRunEnd: Sendable, Hashable {
    /// The outcome of a run.
    package enum Outcome: Sendable, Hashable {
        /// Exit status 0, or a response that was accepted.
        case succeeded
        /// Another exit status.
        case exited(status: Int32)
        /// Killed by a signal from another process.
        case signaled(Int32)
        /// Timed out, and killed by the agent.
        case timedOut
        /// Not run, because the file is not trusted or cannot be run.
        case refused(HookRefusal)
        /// Not run, because the system could not create a process.
        case notStarted(reason: String)
        /// Stopped, because the agent stopped before the hook ended.
        case stopped
        /// Request not delivered: the code of the last check (`docs/findings.md`), and its evidence.
        case undelivered(code: String, detail: String)
    }

    /// The outcome.
    package var outcome: Outcome
    /// The output of a program, or, as evidence, the start of an error response's body.
    package var output = HookOutput()
    /// The time from the start to the end, including the pauses between attempts and the time offline.
    package var duration = Duration.zero
    /// The number of attempts to send a request, including incomplete ones.
    package var attempts = 0
    /// The status of the last attempt's response; nil without a response.
    package var httpStatus: Int?
    /// The pause that the server has requested before the next request; nil without one.
    package var requestedPause: Duration?

    /// The effect on later runs.
    var ending: HookQueue<HookOffer>.Ending {
        switch outcome {
        case .succeeded: .succeeded
        case .stopped: .stopped
        default: .failed
        }
    }

    /// Returns the report of the run.
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

extension HookRunEnd.Outcome {
    /// The outcome in events and in the status.
    package var code: HookOutcome {
        switch self {
        case .succeeded: .succeeded
        case .exited: .exited
        case .signaled: .signaled
        case .timedOut: .timedOut
        case .refused: .refused
        case .notStarted: .notStarted
        case .stopped: .stopped
        case .undelivered: .undelivered
        }
    }
}

extension HookEnding {
    /// Creates the end of a run for events and the status.
    package init(_ end: HookRunEnd, of kind: HookKind) {
        self.init(outcome: end.outcome.code.rawValue, durationMilliseconds: end.duration.milliseconds)
        switch end.outcome {
        case .succeeded: if kind != .webhook { exitStatus = 0 }
        case .exited(let status): exitStatus = status
        case .signaled(let number): signal = SignalName.of(number)
        case .timedOut, .stopped: break
        case .refused(let reason):
            refusal = Refusal(
                code: reason.code.rawValue,
                path: reason.path,
                evidence: reason.evidence,
                remedy: reason.remedy,
                command: reason.command
            )
        case .notStarted(let reason): self.reason = reason
        case .undelivered(let code, let detail): (self.code, self.detail) = (code, detail)
        }
        httpStatus = end.httpStatus
        if kind == .webhook { attempts = end.attempts }
    }
}

/// The output of a program: its standard output and standard error as one stream.
public struct HookOutput: Sendable, Hashable {
    /// The maximum number of bytes that are kept.
    public static let maximumBytes = 4096

    /// The start and the end of the output; invalid UTF-8 is replaced.
    public var text: String
    /// The total number of bytes that the program wrote.
    public var bytes: Int
    /// The number of bytes that are omitted between the start and the end.
    public var omittedBytes: Int

    /// Creates an output; by default an empty one.
    public init(text: String = "", bytes: Int = 0, omittedBytes: Int = 0) {
        self.text = text
        self.bytes = bytes
        self.omittedBytes = omittedBytes
    }
}

/// The names of signals (signal(7)).
private enum SignalName {
    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
        SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
        SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN",
        SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM",
        SIGPROF: "SIGPROF", SIGWINCH: "SIGWINCH", SIGIO: "SIGIO", SIGPWR: "SIGPWR", SIGSYS: "SIGSYS",
    ]

    /// Returns the name; `signal 40` for a signal without one.
    static func of(_ signal: Int32) -> String { names[signal] ?? "signal \(signal)" }
}
