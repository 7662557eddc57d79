internal import EventJournal
internal import NetlinkMonitor
internal import Reachability
internal import StateSocket

/// What a running agent is made of.
struct AgentConfiguration: Sendable {
    /// What to ask the kernel.
    var monitor: MonitorConfiguration
    /// How long a change must hold.
    var settle: SettlePolicy
    /// What has a path of its own.
    var targets: [Target]
    /// What is printed.
    var format: OutputFormat
    /// The journal; `nil` for none.
    var journal: JournalConfiguration?
    /// Whether somebody asked for the journal to be there: then the agent does not run when it cannot be made.
    var needsJournal = false
    /// The sockets; `nil` for none.
    var sockets: StateSocketConfiguration?
    /// Whether somebody asked for the sockets to be there.
    var needsSockets = false
}
