internal import Configuration
internal import EventJournal
internal import Hooks
internal import NetlinkMonitor
internal import StateSocket

/// The parts of a running agent.
struct AgentConfiguration: Sendable {
    /// The source of the settings, at the start and at each reload.
    var source: ConfigurationSource
    /// The settings, and the files that they were read from.
    var loaded: ConfigurationFile.Loaded
    /// Makes the questions to the kernel from the settings.
    var monitor: @Sendable (Settings) -> MonitorConfiguration
    /// Makes the hooks from the settings.
    var hooks: @Sendable (Settings) -> HookSettings
    /// The form in which events are printed; `nil` for none.
    var form: EventForm?
    /// The file for the state machine's inputs; `nil` to record none.
    var recording: String?
    /// The journal; `nil` for none.
    var journal: JournalConfiguration?
    /// `true` if the journal was asked for: then the agent does not run when it cannot be made.
    var needsJournal = false
    /// The sockets; `nil` for none.
    var sockets: StateSocketConfiguration?
    /// `true` if the sockets were asked for.
    var needsSockets = false
    /// The file of metrics; `nil` for none.
    var metricsFile: String?
}
