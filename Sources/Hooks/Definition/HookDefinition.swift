public import Probes

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
    /// The timeout of a run, or of each attempt of a webhook.
    public var timeout: Duration
    /// The content of the hook's table as a string that is equal for equal hooks and contains no secrets.
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
    /// A program without a slash is searched for in ``HookEnvironment/path``.
    public var arguments: [String]
    /// The user to run as; nil for the agent's own.
    ///
    /// Another user requires the privilege to change the user (setuid(2)).
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
    /// `true` if the hook also runs for the existing state when the agent starts or when the hook is added.
    public var runsAtStart: Bool

    /// Creates a pace; by default one run at a time, for the newest event, without a delay.
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

/// A request to send.
public struct Webhook: Sendable {
    /// The default method of a webhook.
    public static let standardMethod = "POST"

    /// The request, the security policy, and the connection options.
    ///
    /// Its body and parameters are replaced by ``body``, its timeouts by the hook's timeout, and its redirects are
    /// never followed.
    public var probe: Probe
    /// The template of the body with `${REACH_…}`; nil for the event itself.
    public var body: WebhookBody?
    /// The file with the secret that signs requests; nil for none.
    ///
    /// It is read for each attempt, so the secret can be replaced at any time.
    public var secretFile: String?
    /// The maximum number of retries of a failed request.
    public var retries: Int

    /// Creates a webhook; by default a request is sent at most six times.
    public init(probe: Probe, body: WebhookBody? = nil, secretFile: String? = nil, retries: Int = 5) {
        self.probe = probe
        self.body = body
        self.secretFile = secretFile
        self.retries = retries
    }
}

/// The settings of all hooks.
public struct HookSettings: Sendable {
    /// The hook directories in order of precedence: a file hides those of the same name in later directories.
    public var directories: [String]
    /// The configured hooks.
    public var definitions: [HookDefinition]
    /// The maximum number of concurrent programs, of all hooks together.
    public var maximumRunning: Int
    /// The limits on the programs of all hooks together, if control groups are delegated.
    public var limits: HookLimits
    /// The timeout of a hook in the directories.
    public var directoryTimeout: Duration
    /// The time that running programs get when the agent stops.
    public var stopGrace: Duration
    /// False if hooks are switched off.
    public private(set) var isEnabled = true

    /// Creates settings; by default without hooks and directories.
    public init(
        directories: [String] = [],
        definitions: [HookDefinition] = [],
        maximumRunning: Int = 64,
        limits: HookLimits = HookLimits(),
        directoryTimeout: Duration = .seconds(30),
        stopGrace: Duration = .seconds(3)
    ) {
        self.directories = directories
        self.definitions = definitions
        self.maximumRunning = maximumRunning
        self.limits = limits
        self.directoryTimeout = directoryTimeout
        self.stopGrace = stopGrace
    }

    /// Switches hooks off, and removes all hooks and directories.
    public mutating func disable() { (isEnabled, directories, definitions) = (false, [], []) }

    /// Sets the directories, and switches hooks on for them.
    public mutating func use(_ directories: [String]) { (isEnabled, self.directories) = (true, directories) }

    /// The directories of a system service: the administrator's, then those of packages.
    public static let systemDirectories = ["/etc/reachagent/hooks.d", "/usr/lib/reachagent/hooks.d"]
}

/// The targets and probes of an agent, whose last states an added hook may get.
public struct HookSubjects: Sendable, Hashable {
    /// The addresses of the targets by their names; a target with another address is another one.
    public var targets: [String: String]
    /// The names of the probes.
    public var probes: Set<String>

    /// Creates the subjects with these names and addresses.
    public init(targets: [String: String], probes: Set<String>) {
        self.targets = targets
        self.probes = probes
    }
}

/// The limits on the programs of all hooks together, if the service manager delegates control groups.
///
/// A single run may use half of them, which leaves the other half to other runs.
public struct HookLimits: Sendable, Hashable {
    /// The maximum number of processes and threads.
    public var tasks: Int
    /// The maximum memory in bytes.
    public var memory: Int

    /// Creates limits on processes and memory.
    public init(tasks: Int = 512, memory: Int = 256 << 20) {
        self.tasks = tasks
        self.memory = memory
    }

    /// The limits of one run.
    var half: HookLimits { HookLimits(tasks: max(1, tasks / 2), memory: memory / 2) }
}
