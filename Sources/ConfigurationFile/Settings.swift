public import EventJournal
public import Hooks
public import NetlinkMonitor
public import Probes
public import Reachability

/// What the configuration files say, complete: what they leave out has its default.
public struct Settings: Sendable {
    /// The agent itself; what is nil was not said.
    public var agent = AgentSettings()
    /// How long a change must hold.
    public var settle = SettlePolicy.standard
    /// The operator's word on the kind of interfaces; the first match counts.
    public var kindOverrides: [KindOverride] = []
    /// Addresses that stand for the Internet; empty for the defaults.
    public var internetAddresses: [IPAddress] = []
    /// What checks over links that cost money may do.
    public var metered = MeteredSettings()
    /// How captive portals are looked for.
    public var portal = PortalSettings()
    /// How many of the required probes have to be up.
    public var quorum = Quorum.all
    /// How many checks are made at the same time.
    public var limits = ScheduleLimits()
    /// What has a path of its own, by name.
    public var targets: [Target] = []
    /// What is checked, by name.
    public var probes: [ProbeDefinition] = []
    /// The configured hooks by name, and how hooks run; without the folders, which ``hookFolders`` says.
    public var hooks = HookSettings()
    /// The folders of hooks; nil was not said, and leaves it to the agent.
    public var hookFolders: [String]?
    /// Whether hooks run at all.
    public var runsHooks = true

    /// Settings without a probe or a target.
    public init() {}

    /// What is to run: nothing where hooks are switched off.
    ///
    /// - Parameter standard: The folders where the configuration names none.
    public func activeHooks(standardFolders standard: [String]) -> HookSettings {
        var active = hooks
        active.folders = runsHooks ? hookFolders ?? standard : []
        if !runsHooks { active.definitions = [] }
        return active
    }
}

/// What the section `[agent]` says; nil leaves it to the command line's default.
public struct AgentSettings: Sendable, Hashable {
    /// Whether there is a journal.
    public var journal: Bool?
    /// Where it is.
    public var journalDirectory: String?
    /// How much it may take, in bytes.
    public var journalBytes: Int?
    /// How long events are kept.
    public var journalAge: Duration?
    /// When events are forced onto the disk.
    public var journalSync: SyncPolicy?
    /// Whether complete segments are compressed.
    public var compressesJournal: Bool?
    /// Whether there are sockets.
    public var sockets: Bool?
    /// Where they are.
    public var socketDirectory: String?
    /// The group that may use them.
    public var socketGroup: String?
    /// Their permission bits.
    public var socketMode: UInt32?
    /// The most connections to them.
    public var mostConnections: Int?
    /// The least important messages that are logged.
    public var logLevel: LogLevel?

    /// Nothing said.
    public init() {}
}

/// How important a message of the log is.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// What the section `[metered]` says: links that cost money.
public struct MeteredSettings: Sendable, Hashable {
    /// Shell patterns of the interfaces' names (fnmatch(3)).
    public var interfaces: [String] = []
    /// Whether every cellular interface is metered.
    public var includesCellular = true
    /// How many times longer the interval of a probe is.
    public var intervalFactor = 10
    /// How many bytes all checks over such a link may use in a day; nil for any number.
    public var bytesPerDay: Int?

    /// The defaults.
    public init() {}
}

/// What the section `[portal]` says.
public struct PortalSettings: Sendable, Hashable {
    /// The time after which a captive portal is looked at again.
    public var recheck = ProbePace.standardPortalInterval
    /// Whether the network's own interface is asked (RFC 8908), where systemd-networkd tells its address (RFC 8910).
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
    /// How its checks are judged, and from where it is made.
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
