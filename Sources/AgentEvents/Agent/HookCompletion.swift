/// The end of a hook's run.
public struct HookCompletion: Codable, Sendable, Hashable {
    /// The hook's name.
    public var hook: String
    /// `file`, `command` or `webhook`.
    public var kind: String
    /// The type of the event that it ran for, without the prefix.
    public var trigger: String
    /// The number of that event.
    public var triggerSequence: UInt64?
    /// The number of events that were dropped because newer ones replaced them.
    public var superseded: Int
    /// The outcome of the run.
    public var ending: HookEnding
    /// The time from the event to the start of the run, in milliseconds.
    public var delayMilliseconds: Int64
    /// The start and the end of the output.
    public var output: String?
    /// The bytes of the output.
    public var outputBytes: Int?
    /// The number of bytes dropped between its start and its end.
    public var outputOmittedBytes: Int?
    /// The number of consecutive failures.
    public var failures: Int
    /// The resulting pause before the next run, in milliseconds.
    public var pausedMilliseconds: Int64?

    private enum CodingKeys: String, CodingKey {
        case hook, kind, trigger
        case triggerSequence = "trigger_seq"
        case superseded
        case delayMilliseconds = "delay_ms"
        case output
        case outputBytes = "output_bytes"
        case outputOmittedBytes = "output_omitted_bytes"
        case failures
        case pausedMilliseconds = "paused_ms"
    }

    /// Creates the end of a run.
    public init(
        hook: String,
        kind: String,
        trigger: String,
        triggerSequence: UInt64? = nil,
        superseded: Int,
        ending: HookEnding,
        delayMilliseconds: Int64,
        output: String? = nil,
        outputBytes: Int? = nil,
        outputOmittedBytes: Int? = nil,
        failures: Int,
        pausedMilliseconds: Int64? = nil
    ) {
        self.hook = hook
        self.kind = kind
        self.trigger = trigger
        self.triggerSequence = triggerSequence
        self.superseded = superseded
        self.ending = ending
        self.delayMilliseconds = delayMilliseconds
        self.output = output
        self.outputBytes = outputBytes
        self.outputOmittedBytes = outputOmittedBytes
        self.failures = failures
        self.pausedMilliseconds = pausedMilliseconds
    }

    /// Reads the completion, with the ending's members beside its own.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        hook = try members.decode(String.self, forKey: .hook)
        kind = try members.decode(String.self, forKey: .kind)
        trigger = try members.decode(String.self, forKey: .trigger)
        triggerSequence = try members.decodeIfPresent(UInt64.self, forKey: .triggerSequence)
        superseded = try members.decode(Int.self, forKey: .superseded)
        ending = try HookEnding(from: decoder)
        delayMilliseconds = try members.decode(Int64.self, forKey: .delayMilliseconds)
        output = try members.decodeIfPresent(String.self, forKey: .output)
        outputBytes = try members.decodeIfPresent(Int.self, forKey: .outputBytes)
        outputOmittedBytes = try members.decodeIfPresent(Int.self, forKey: .outputOmittedBytes)
        failures = try members.decode(Int.self, forKey: .failures)
        pausedMilliseconds = try members.decodeIfPresent(Int64.self, forKey: .pausedMilliseconds)
    }

    /// Writes the completion, with the ending's members among its own.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(hook, forKey: .hook)
        try members.encode(kind, forKey: .kind)
        try members.encode(trigger, forKey: .trigger)
        try members.encodeIfPresent(triggerSequence, forKey: .triggerSequence)
        try members.encode(superseded, forKey: .superseded)
        try ending.encode(to: encoder)
        try members.encode(delayMilliseconds, forKey: .delayMilliseconds)
        try members.encodeIfPresent(output, forKey: .output)
        try members.encodeIfPresent(outputBytes, forKey: .outputBytes)
        try members.encodeIfPresent(outputOmittedBytes, forKey: .outputOmittedBytes)
        try members.encode(failures, forKey: .failures)
        try members.encodeIfPresent(pausedMilliseconds, forKey: .pausedMilliseconds)
    }
}

/// The outcome of a hook's run.
public struct HookEnding: Codable, Sendable, Hashable {
    /// The outcome, such as `exited`; ``HookOutcome`` has those that this version knows.
    public var outcome: String
    /// The exit status of the program.
    public var exitStatus: Int32?
    /// The signal that ended the program.
    public var signal: String?
    /// The reason that the file was not run.
    public var refusal: Refusal?
    /// The reason that no process was started.
    public var reason: String?
    /// The code of the failed request.
    public var code: String?
    /// The details of the failed request, for people.
    public var detail: String?
    /// The status of the last response.
    public var httpStatus: Int?
    /// The number of requests sent.
    public var attempts: Int?
    /// The duration of the run, in milliseconds.
    public var durationMilliseconds: Int64?

    private enum CodingKeys: String, CodingKey {
        case outcome
        case exitStatus = "exit_status"
        case signal, refusal, reason, code, detail
        case httpStatus = "http_status"
        case attempts
        case durationMilliseconds = "duration_ms"
    }

    /// Creates an ending.
    public init(outcome: String, durationMilliseconds: Int64? = nil) {
        self.outcome = outcome
        self.durationMilliseconds = durationMilliseconds
    }

    /// The reason that a file is not run.
    public struct Refusal: Codable, Sendable, Hashable {
        /// The code.
        public var code: String
        /// The file or directory at fault.
        public var path: String
        /// The evidence.
        public var evidence: String
        /// A command or a short instruction that repairs it.
        public var remedy: String
        /// The command in the remedy; `nil` for an instruction without one.
        public var command: String?

        /// Creates a refusal.
        public init(code: String, path: String, evidence: String, remedy: String, command: String? = nil) {
            self.code = code
            self.path = path
            self.evidence = evidence
            self.remedy = remedy
            self.command = command
        }
    }
}
