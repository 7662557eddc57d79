public import EventJournal
public import Hooks
public import NetlinkMonitor
public import PortAccess
public import Probes
public import Reachability
public import Sinks

/// The settings of the configuration files, complete with defaults.
public struct Settings: Sendable {
    /// The agent itself; nil where a key was not given.
    public var agent = AgentSettings()
    /// The time for which a change must hold.
    public var settle = SettlePolicy.standard
    /// The operator's kinds of interfaces; the first match counts.
    public var kindOverrides: [KindOverride] = []
    /// Addresses that stand for the Internet; empty for the defaults.
    public var internetAddresses: [IPAddress] = []
    /// The limits of checks over metered links.
    public var metered = MeteredSettings()
    /// The detection of captive portals.
    public var portal = PortalSettings()
    /// The number of required probes that must be up.
    public var quorum = Quorum.all
    /// True when the next hop of each uplink is checked.
    public var checksFirstHops = false
    /// The number of checks at the same time.
    public var limits = ScheduleLimits()
    /// The HTTP server.
    public var http = HTTPSettings()
    /// The targets with a path of their own, sorted by name.
    public var targets: [Target] = []
    /// The probes that are made, sorted by name.
    public var probes: [ProbeDefinition] = []
    /// The number of probes with `enabled = false`.
    public var disabledProbes = 0
    /// The configured hooks, sorted by name, and the settings of all hooks; the folders are in ``hookFolders``.
    public var hooks = HookSettings()
    /// The folders of hooks; nil leaves them to the agent.
    public var hookFolders: [String]?
    /// True when hooks run at all.
    public var runsHooks = true
    /// The sinks, sorted by name; paths may be relative to the working directory.
    public var sinks: [SinkSettings] = []

    /// Settings without a probe or a target.
    public init() {}

    /// The hooks to run: none where hooks are switched off.
    ///
    /// - Parameter standard: The folders where the configuration names none.
    public func activeHooks(standardFolders standard: [String]) -> HookSettings {
        var active = hooks
        active.folders = runsHooks ? hookFolders ?? standard : []
        if !runsHooks { active.definitions = [] }
        return active
    }
}

/// The section `[agent]`; nil leaves a value to the command line's default.
public struct AgentSettings: Sendable, Hashable {
    /// True for a journal.
    public var journal: Bool?
    /// Its directory.
    public var journalDirectory: String?
    /// Its maximum size in bytes.
    public var journalBytes: Int?
    /// The maximum age of events.
    public var journalAge: Duration?
    /// The maximum age of what outlasts other events; zero for none.
    public var historyAge: Duration = .seconds(400 * 86_400)
    /// Its maximum size in bytes.
    public var historyBytes = 64 << 20
    /// The time at which events are forced to disk.
    public var journalSync: SyncPolicy?
    /// True when complete segments are compressed.
    public var compressesJournal: Bool?
    /// True for sockets.
    public var sockets: Bool?
    /// Their directory.
    public var socketDirectory: String?
    /// The group that may use them.
    public var socketGroup: String?
    /// Their permission bits.
    public var socketMode: UInt32?
    /// The maximum number of connections to them.
    public var maxConnections: Int?
    /// The file of metrics for node_exporter's textfile collector.
    public var metricsFile: String?
    /// The least important messages that are logged.
    public var logLevel: LogLevel?

    /// Settings without a value.
    public init() {}
}

/// The importance of a log message.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// The section `[metered]`: links that cost money.
public struct MeteredSettings: Sendable, Hashable {
    /// Shell patterns of the interfaces' names (fnmatch(3)).
    public var interfaces: [String] = []
    /// True when every cellular interface is metered.
    public var includesCellular = true
    /// The factor by which the interval of a probe is longer.
    public var intervalFactor = 10
    /// The maximum number of bytes that all checks over such a link use in a day; nil for any number.
    public var bytesPerDay: Int?

    /// The defaults.
    public init() {}
}

/// The section `[http]`.
public struct HTTPSettings: Sendable, Hashable {
    /// The addresses besides `http.sock`.
    public var listen: [HTTPListenAddress] = []
    /// The names of hosts that a request may have besides `localhost` and addresses, in lower case.
    public var names: [String] = []
    /// The server's certificate, for addresses that other machines reach.
    public var tlsCertificate: String?
    /// Its private key.
    public var tlsKey: String?
    /// The authorities of the clients' certificates.
    public var clientCAFile: String?
    /// The users and hashes of their passwords.
    public var basicAuthFile: String?
    /// True when encryption or the check of clients may be missing.
    public var isInsecure = false
    /// The content of the files; nil where none is named.
    public var access: PortAccess?

    /// The defaults.
    public init() {}
}

/// The section `[portal]`.
public struct PortalSettings: Sendable, Hashable {
    /// The time after which a captive portal is rechecked.
    public var recheck = ProbePace.standardPortalInterval
    /// True when the network's own interface is asked (RFC 8908) where systemd-networkd knows its address (RFC 8910).
    public var asksNetwork = true

    /// The defaults.
    public init() {}
}

/// One probe of the configuration.
public struct ProbeDefinition: Sendable {
    /// Its name, which its events carry.
    public var name: String
    /// The check, for the default vantage: without an interface, and with the families that its target allows.
    public var probe: Probe
    /// Everything in ``probe`` as one text that is equal for equal checks, and has no secret in it.
    public var identity: String
    /// The intervals.
    public var pace: ProbePace
    /// The judgement of its checks, and its vantages.
    public var rule: ProbeRule

    /// A definition.
    public init(name: String, probe: Probe, identity: String, pace: ProbePace, rule: ProbeRule) {
        self.name = name
        self.probe = probe
        self.identity = identity
        self.pace = pace
        self.rule = rule
    }
}
