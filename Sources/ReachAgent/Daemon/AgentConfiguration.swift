internal import Configuration
internal import EventJournal
internal import Glibc
internal import Hooks
internal import NetlinkMonitor
internal import StateSocket

/// The parts of a running agent.
struct AgentConfiguration: Sendable {
    /// The source of the settings, at the start and at each reload.
    var source: ConfigurationSource
    /// The settings, and the files that they were read from.
    var loaded: ConfigurationFile.Loaded
    /// Creates the monitor's configuration from the settings.
    var monitor: @Sendable (Settings) -> MonitorConfiguration
    /// Creates the hooks from the settings.
    var hooks: @Sendable (Settings) -> HookSettings
    /// The format in which events are printed; `nil` for none.
    var format: EventFormat?
    /// The file for the state machine's inputs; `nil` to record none.
    var recording: String?
    /// The journal; `nil` for none.
    var journal: JournalConfiguration?
    /// `true` if the journal was requested: then the agent does not run without it.
    var needsJournal = false
    /// The sockets; `nil` for none.
    var sockets: StateSocketConfiguration?
    /// `true` if the sockets were requested.
    var needsSockets = false
    /// The file of metrics; `nil` for none.
    var metricsFile: String?
}

/// The source of the settings: a file, and the command line, which takes precedence.
struct ConfigurationSource: Sendable {
    /// The file; `nil` when there was none at the start.
    let path: String?
    /// The files that a reload looks for; empty when one was named or none is to be read at all.
    var searched: [String] = []
    /// Applies the options of the command line.
    let override: @Sendable (inout Settings) throws(ConfigurationErrors) -> Void

    /// Reads the file, if there is one.
    ///
    /// - Throws: All errors of the file.
    func load() throws(ConfigurationErrors) -> ConfigurationFile.Loaded { try load(path) }

    /// Reads a file, if there is one.
    func load(_ path: String?) throws(ConfigurationErrors) -> ConfigurationFile.Loaded {
        var loaded = ConfigurationFile.Loaded(settings: Settings(), files: [], effective: [])
        if let path {
            loaded = try ConfigurationFile.load(path, serializer: RequestOptions.serializer())
            loaded.warnings += ConfigurationFile.accessWarnings(of: path, files: loaded.files, user: geteuid())
        }
        try override(&loaded.settings)
        return loaded
    }

    /// Returns the file that a reload reads: the one that was named, or the first of those searched for that exists.
    func find() -> String? { ConfigurationFile.path(named: path, searched: searched) }
}
