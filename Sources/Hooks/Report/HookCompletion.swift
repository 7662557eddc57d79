public import EventEnvelope

/// How one run of a hook went.
public struct HookCompletion: Sendable, Hashable {
    /// What kind of hook it was.
    public enum Kind: String, Sendable, Hashable {
        /// A file of the folders.
        case folder
        /// A configured program.
        case command
        /// A request.
        case webhook
    }

    /// How it ended.
    public enum Outcome: Sendable, Hashable {
        /// Exit status 0, or a response that was accepted.
        case succeeded
        /// Another exit status.
        case exited(status: Int32)
        /// Ended by a signal of somebody else's.
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

        /// The outcome's stable name in events.
        public var code: String {
            switch self {
            case .succeeded: "succeeded"
            case .exited: "exited"
            case .signaled: "signaled"
            case .timedOut: "timed_out"
            case .refused: "refused"
            case .notStarted: "not_started"
            case .stopped: "stopped"
            case .undelivered: "undelivered"
            }
        }
    }

    /// The hook's name.
    public var hook: String
    /// Its kind.
    public var kind: Kind
    /// The type of the event that it ran for.
    public var trigger: EventType
    /// The number of that event.
    public var sequence: UInt64?
    /// How many events before that one were dropped because it replaced them.
    public var superseded: Int
    /// How it ended.
    public var outcome: Outcome
    /// How long the event had waited when the hook began.
    public var delay: Duration
    /// How long the hook took.
    public var duration: Duration
    /// How many times a request was sent; 1 for programs, 0 for what was never begun.
    public var attempts: Int
    /// The status of the last response.
    public var httpStatus: Int?
    /// What it wrote.
    public var output: HookOutput
    /// How many times in a row it failed, this one included.
    public var failures: Int
    /// How long it is left alone because of them; nil when it is not.
    public var pause: Duration?

    /// A run that has just ended.
    public init(
        hook: String,
        kind: Kind,
        trigger: EventType,
        sequence: UInt64?,
        superseded: Int = 0,
        outcome: Outcome,
        delay: Duration = .zero,
        duration: Duration = .zero,
        attempts: Int = 1,
        httpStatus: Int? = nil,
        output: HookOutput = HookOutput(),
        failures: Int = 0,
        pause: Duration? = nil
    ) {
        self.hook = hook
        self.kind = kind
        self.trigger = trigger
        self.sequence = sequence
        self.superseded = superseded
        self.outcome = outcome
        self.delay = delay
        self.duration = duration
        self.attempts = attempts
        self.httpStatus = httpStatus
        self.output = output
        self.failures = failures
        self.pause = pause
    }
}

/// What a program wrote to its standard output and error, which are one stream, in the order in which it came.
public struct HookOutput: Sendable, Hashable {
    /// The most bytes that are kept.
    public static let mostBytes = 4096

    /// The beginning and the end of what it wrote; what is no UTF-8 is replaced.
    public var text: String
    /// How much it wrote, in bytes.
    public var bytes: Int
    /// How much of it was left out between beginning and end, in bytes.
    public var omittedBytes: Int

    /// An output; by default none.
    public init(text: String = "", bytes: Int = 0, omittedBytes: Int = 0) {
        self.text = text
        self.bytes = bytes
        self.omittedBytes = omittedBytes
    }
}
