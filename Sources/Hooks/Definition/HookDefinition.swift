/// One hook: what is done, for which events, and how runs of it get along with each other.
public struct HookDefinition: Sendable {
    /// What a hook does.
    public enum Action: Sendable {
        /// Runs a program.
        case command(HookCommand)
        /// Sends a request.
        case webhook(Webhook)
    }

    /// Its name: `[hook.NAME]`'s, or the path of a file below the folders of hooks, such as `10-log` or `wifi.d/10-log`.
    public var name: String
    /// What it does.
    public var action: Action
    /// For which events.
    public var trigger: HookTrigger
    /// How runs follow each other.
    public var pace: HookPace
    /// The time for one run; for a webhook that of each attempt.
    public var timeout: Duration
    /// Everything that the hook's table says as one text that is equal for equal hooks, and has no secret in it.
    ///
    /// Empty for hooks that no table describes. A time-out that is the section's and no table's is not in it.
    public var identity: String

    /// A hook with the defaults.
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
    /// A program without a slash is looked for in ``HookEnvironment/path``.
    public var arguments: [String]
    /// The user that it runs as; nil for the agent's own.
    ///
    /// Another one takes the right to change it (setuid(2)).
    public var user: String?
    /// The group; nil for the user's own groups.
    public var group: String?
    /// What is added to the environment.
    public var environment: [String: String]
    /// The folder that it runs in.
    public var workingDirectory: String

    /// A program that runs as the agent's user in `/`.
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

/// How runs of one hook follow each other.
public struct HookPace: Sendable, Hashable {
    /// What becomes of events that come while a hook cannot take them.
    public enum Queue: String, Sendable, Hashable, CaseIterable {
        /// Only the newest waits; what it replaces is counted in the run's report.
        case latest
        /// All wait, in order, up to ``mostWaiting``; beyond that the oldest is dropped, and counted.
        case all
    }

    /// The most events that wait with ``Queue/all``.
    public static let mostWaiting = 128

    /// How many runs there may be at the same time.
    public var concurrency: Int
    /// What becomes of events that come meanwhile.
    public var queue: Queue
    /// How long nothing may have come before the hook runs; at most three times that is waited for.
    public var debounce: Duration
    /// Whether the hook is given the state that the agent finds when it starts, or when the hook is added.
    public var runsAtStart: Bool

    /// One run at a time, of the newest event, at once.
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
