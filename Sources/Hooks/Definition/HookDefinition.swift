/// One hook: its action, its trigger, and the pace of its runs.
public struct HookDefinition: Sendable {
    /// The action of a hook.
    public enum Action: Sendable {
        /// Runs a program.
        case command(HookCommand)
        /// Sends a request.
        case webhook(Webhook)
    }

    /// The name: that of `[hook.NAME]`, or the path of a file in the hook directories, such as `10-log` or
    /// `wifi.d/10-log`.
    public var name: String
    /// The action.
    public var action: Action
    /// The trigger.
    public var trigger: HookTrigger
    /// The pace of its runs.
    public var pace: HookPace
    /// The timeout of a run; for a webhook that of each attempt.
    public var timeout: Duration
    /// The content of the hook's table as a string, which is equal for equal hooks, and contains no secret.
    ///
    /// Empty for hooks without a table. A timeout that comes from the section is not included.
    public var identity: String

    /// Creates a hook with the defaults.
    public init(
        name: String,
        action: Action,
        trigger: HookTrigger = HookTrigger(),
        pace: HookPace = HookPace(),
        timeout: Duration = .seconds(30),
        identity: String = ""
    ) {
        self.name = name
        self.action = action
        self.trigger = trigger
        self.pace = pace
        self.timeout = timeout
        self.identity = identity
    }
}

/// A program to run.
public struct HookCommand: Sendable, Hashable {
    /// The program and its arguments; never empty.
    ///
    /// A program without a slash is searched in ``HookEnvironment/path``.
    public var arguments: [String]
    /// The user to run as; nil for the agent's own.
    ///
    /// Another user requires the privilege to change it (setuid(2)).
    public var user: String?
    /// The group; nil for the user's own groups.
    public var group: String?
    /// Additional environment variables.
    public var environment: [String: String]
    /// The working directory.
    public var workingDirectory: String

    /// Creates a program that runs as the agent's user in `/`.
    public init(
        arguments: [String],
        user: String? = nil,
        group: String? = nil,
        environment: [String: String] = [:],
        workingDirectory: String = "/"
    ) {
        self.arguments = arguments
        self.user = user
        self.group = group
        self.environment = environment
        self.workingDirectory = workingDirectory
    }
}

/// The pace of the runs of one hook.
public struct HookPace: Sendable, Hashable {
    /// The queueing of events that arrive while a hook is busy.
    public enum Queue: String, Sendable, Hashable, CaseIterable {
        /// Only the newest event is queued; the number of replaced ones is in the run's report.
        case latest
        /// All events are queued in order, up to ``maximumWaiting``; then the oldest is dropped, and counted.
        case all
    }

    /// The maximum number of queued events with ``Queue/all``.
    public static let maximumWaiting = 128

    /// The maximum number of concurrent runs.
    public var concurrency: Int
    /// The queueing of events.
    public var queue: Queue
    /// The quiet time before the hook runs; it is extended at most to three times its length.
    public var debounce: Duration
    /// `true` if the hook also gets the state that exists when the agent starts, or when the hook is added.
    public var runsAtStart: Bool

    /// Creates a pace: by default one run at a time, of the newest event, without a delay.
    public init(
        concurrency: Int = 1,
        queue: Queue = .latest,
        debounce: Duration = .zero,
        runsAtStart: Bool = false
    ) {
        self.concurrency = concurrency
        self.queue = queue
        self.debounce = debounce
        self.runsAtStart = runsAtStart
    }
}
