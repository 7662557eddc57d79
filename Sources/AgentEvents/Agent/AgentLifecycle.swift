/// The start of an agent.
public struct AgentStarted: Codable, Sendable, Hashable {
    /// The agent's version.
    public var version: String
    /// The version of the schema.
    public var schema: Int
    /// The kernel's id of this boot of the machine.
    public var bootID: String?
    /// The stream that the numbers belong to.
    public var stream: String
    /// The settle time of a path that appears, in milliseconds.
    public var settleUpMilliseconds: Int64
    /// The settle time of a path that is lost, in milliseconds.
    public var settleDownMilliseconds: Int64
    /// The targets.
    @List public var targets: [Target]

    private enum CodingKeys: String, CodingKey {
        case version, schema
        case bootID = "boot_id"
        case stream
        case settleUpMilliseconds = "settle_up_ms"
        case settleDownMilliseconds = "settle_down_ms"
        case targets
    }

    /// Creates a start.
    public init(
        version: String,
        schema: Int,
        bootID: String? = nil,
        stream: String,
        settleUpMilliseconds: Int64,
        settleDownMilliseconds: Int64,
        targets: [Target]
    ) {
        self.version = version
        self.schema = schema
        self.bootID = bootID
        self.stream = stream
        self.settleUpMilliseconds = settleUpMilliseconds
        self.settleDownMilliseconds = settleDownMilliseconds
        self.targets = targets
    }

    /// A target.
    public struct Target: Codable, Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its address.
        public var address: String

        /// Creates a target.
        public init(name: String, address: String) {
            self.name = name
            self.address = address
        }
    }
}

/// The orderly end of an agent.
public struct AgentStopping: Codable, Sendable, Hashable {
    /// The reason, such as the name of a signal.
    public var reason: String

    /// Creates an end.
    public init(reason: String) {
        self.reason = reason
    }
}

/// The first line on a socket.
public struct AgentHello: Codable, Sendable, Hashable {
    /// The agent's version.
    public var version: String
    /// The version of the schema; a higher one has more members.
    public var schema: Int
    /// The kernel's id of this boot of the machine.
    public var bootID: String?
    /// The stream that the numbers belong to; numbers of different streams are unrelated.
    public var stream: String
    /// The number after which the events of the connection follow.
    public var sequence: UInt64
    /// The oldest number that can be replayed; `nil` if none can.
    public var oldestSequence: UInt64?
    /// The agent's process.
    public var processID: Int32?

    private enum CodingKeys: String, CodingKey {
        case version, schema
        case bootID = "boot_id"
        case stream
        case sequence = "seq"
        case oldestSequence = "oldest_seq"
        case processID = "pid"
    }

    /// Creates a first line.
    public init(
        version: String,
        schema: Int,
        bootID: String? = nil,
        stream: String,
        sequence: UInt64,
        oldestSequence: UInt64? = nil,
        processID: Int32? = nil
    ) {
        self.version = version
        self.schema = schema
        self.bootID = bootID
        self.stream = stream
        self.sequence = sequence
        self.oldestSequence = oldestSequence
        self.processID = processID
    }
}

/// The resumption of the machine after a suspend.
public struct SuspendResumed: Codable, Sendable, Hashable {
    /// The duration of the suspend, in milliseconds.
    public var suspendedMilliseconds: Int64
    /// The moment at which the agent noticed.
    public var observed: Timestamp

    private enum CodingKeys: String, CodingKey {
        case suspendedMilliseconds = "suspended_ms"
        case observed
    }

    /// Creates a resumption.
    public init(suspendedMilliseconds: Int64, observed: Timestamp) {
        self.suspendedMilliseconds = suspendedMilliseconds
        self.observed = observed
    }
}

/// A reload of the configuration: names and keys, never values.
public struct ConfigurationReload: Codable, Sendable, Hashable {
    /// The files.
    @List public var files: [String]
    /// The new probes and targets, such as `probe.web`.
    @List public var added: [String]
    /// The removed probes and targets.
    @List public var removed: [String]
    /// The changed probes, targets and sections.
    @List public var changed: [String]
    /// The sections whose change takes effect on the next start.
    @List public var needsRestart: [String]

    private enum CodingKeys: String, CodingKey {
        case files, added, removed, changed
        case needsRestart = "needs_restart"
    }

    /// Creates a reload.
    public init(files: [String], added: [String], removed: [String], changed: [String], needsRestart: [String]) {
        self.files = files
        self.added = added
        self.removed = removed
        self.changed = changed
        self.needsRestart = needsRestart
    }
}

/// A rejected reload: the earlier configuration stays in effect.
public struct ConfigurationRejection: Codable, Sendable, Hashable {
    /// The errors, each with its file, line and key; at most 16.
    @List public var errors: [String]
    /// The number of further errors; `nil` if there are none.
    public var errorsOmitted: Int?

    private enum CodingKeys: String, CodingKey {
        case errors
        case errorsOmitted = "errors_omitted"
    }

    /// Creates a rejection.
    public init(errors: [String], errorsOmitted: Int? = nil) {
        self.errors = errors
        self.errorsOmitted = errorsOmitted
    }
}
