public import EventJournal
public import Hooks
public import NetlinkMonitor
public import PortAccess
public import Probes
public import Reachability
public import Sinks

/// The settings of the configuration files, complete with defaults.
public struct Settings: Sendable {
    /// The settings of the agent itself.
    public var agent = AgentSettings()
    /// The time for which a change must persist before it is reported.
    public var settle = SettlePolicy.standard
    /// The configured kinds of interfaces; the first match is used.
    public var kindOverrides: [KindOverride] = []
    /// The addresses that represent the Internet; empty for the defaults.
    public var internetAddresses: [IPAddress] = []
    /// The limits of checks over metered links.
    public var metered = MeteredSettings()
    /// The detection of captive portals.
    public var portal = PortalSettings()
    /// The number of required probes that must be up.
    public var quorum = Quorum.all
    /// True if the next hop of each uplink is checked.
    public var checksFirstHops = false
    /// The limits on concurrent checks.
    public var limits = ScheduleLimits()
    /// The HTTP server.
    public var http = HTTPSettings()
    /// The targets with separate paths, sorted by name.
    public var targets: [Target] = []
    /// The enabled probes, sorted by name.
    public var probes: [ProbeDefinition] = []
    /// The number of probes with `enabled = false`.
    public var disabledProbes = 0
    /// The configured hooks, sorted by name, and the settings of all hooks; the directories are in ``hookDirectories``.
    public var hooks = HookSettings()
    /// The directories of hooks; `nil` for the agent's default.
    public var hookDirectories: [String]?
    /// True if hooks are enabled.
    public var runsHooks = true
    /// The sinks, sorted by name; paths may be relative to the working directory.
    public var sinks: [SinkSettings] = []

    /// Creates settings without a probe or a target.
    public init() {}

    /// Returns the hooks to run; empty if hooks are disabled.
    ///
    /// - Parameter standard: The directories if the configuration names none.
    public func activeHooks(standardDirectories standard: [String]) -> HookSettings {
        var active = hooks
        active.directories = hookDirectories ?? standard
        if !runsHooks { active.disable() }
        return active
    }
}

/// The section `[agent]`; `nil` stands for the default of the command line.
public struct AgentSettings: Sendable, Hashable {
    /// True to write a journal.
    public var journal: Bool?
    /// The directory of the journal.
    public var journalDirectory: String?
    /// The maximum size of the journal, in bytes.
    public var journalBytes: Int?
    /// The maximum age of events.
    public var journalAge: Duration?
    /// The maximum age of the history, which outlasts other events; zero for no history.
    public var historyAge: Duration = .seconds(400 * 86_400)
    /// The maximum size of the history, in bytes.
    public var historyBytes = 64 << 20
    /// The policy for forcing events to disk.
    public var journalSync: SyncPolicy?
    /// True if complete segments are compressed.
    public var compressesJournal: Bool?
    /// True to open sockets.
    public var sockets: Bool?
    /// The directory of the sockets.
    public var socketDirectory: String?
    /// The group that may use the sockets.
    public var socketGroup: String?
    /// The permission bits of the sockets.
    public var socketMode: UInt32?
    /// The maximum number of connections to the sockets.
    public var maxConnections: Int?
    /// The metrics file for node_exporter's textfile collector.
    public var metricsFile: String?
    /// The minimum level of logged messages.
    public var logLevel: LogLevel?

    /// Creates settings without values.
    public init() {}
}

/// The level of a log message.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// The section `[metered]`: metered links.
public struct MeteredSettings: Sendable, Hashable {
    /// The shell patterns of interface names (fnmatch(3)).
    public var interfaces: [String] = []
    /// True if every cellular interface is metered.
    public var includesCellular = true
    /// The factor by which the intervals of probes are multiplied.
    public var intervalFactor = 10
    /// The maximum number of bytes that all checks over such a link use in a day; `nil` for no limit.
    public var bytesPerDay: Int?

    /// Creates the defaults.
    public init() {}
}

/// The section `[http]`.
public struct HTTPSettings: Sendable, Hashable {
    /// The addresses besides `http.sock`.
    public var listen: [HTTPListenAddress] = []
    /// The host names accepted in requests besides `localhost` and addresses, in lower case.
    public var names: [String] = []
    /// The server certificate, for addresses that other machines can reach.
    public var tlsCertificate: String?
    /// The private key of the certificate.
    public var tlsKey: String?
    /// The authorities of client certificates.
    public var clientCAFile: String?
    /// The file with the users and their password hashes.
    public var basicAuthFile: String?
    /// True to permit access without encryption or without authentication of clients.
    public var isInsecure = false
    /// The content of the files; `nil` if no files are configured.
    public var access: PortAccess?

    /// Creates the defaults.
    public init() {}
}

/// The section `[portal]`.
public struct PortalSettings: Sendable, Hashable {
    /// The time after which a captive portal is rechecked.
    public var recheck = ProbePace.standardPortalInterval
    /// True if the portal API of the network is queried (RFC 8908), if systemd-networkd knows its address (RFC 8910).
    public var asksNetwork = true

    /// Creates the defaults.
    public init() {}
}

/// One probe of the configuration.
public struct ProbeDefinition: Sendable {
    /// The name of the probe, which its events contain.
    public var name: String
    /// The check for the default vantage: without an interface, and with the families that its target allows.
    public var probe: Probe
    /// The content of ``probe`` as a string that is equal for equal checks and contains no secret.
    public var identity: String
    /// The intervals.
    public var pace: ProbePace
    /// The rule for evaluating the checks, with the vantages.
    public var rule: ProbeRule

    /// Creates a definition.
    public init(name: String, probe: Probe, identity: String, pace: ProbePace, rule: ProbeRule) {
        self.name = name
        self.probe = probe
        self.identity = identity
        self.pace = pace
        self.rule = rule
    }
}
