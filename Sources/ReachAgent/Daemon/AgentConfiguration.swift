internal import Configuration
internal import EventJournal
internal import Hooks
internal import NetlinkMonitor
internal import StateSocket

/// What a running agent is made of.
struct AgentConfiguration: Sendable {
    /// Where the settings come from, and come from again at a reload.
    var source: ConfigurationSource
    /// The settings, and the files that they were read from.
    var loaded: ConfigurationFile.Loaded
    /// What to ask the kernel, for these settings.
    var monitor: @Sendable (Settings) -> MonitorConfiguration
    /// What is run when something changes, for these settings.
    var hooks: @Sendable (Settings) -> HookSettings
    /// The form in which events are printed; `nil` for none.
    var form: EventForm?
    /// Where the state machine's inputs are recorded; `nil` for nowhere.
    var recording: String?
    /// The journal; `nil` for none.
    var journal: JournalConfiguration?
    /// Whether somebody asked for the journal to be there: then the agent does not run when it cannot be made.
    var needsJournal = false
    /// The sockets; `nil` for none.
    var sockets: StateSocketConfiguration?
    /// Whether somebody asked for the sockets to be there.
    var needsSockets = false
}
