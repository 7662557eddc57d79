internal import AgentEvents
internal import LinuxSupport
internal import Sinks
internal import StateClient
internal import Synchronization

/// A running sink, as the supervisor manages it.
struct SinkThread: RunningSink, Sendable {
    let settings: SinkSettings
    let host: String
    private let inbox: SinkInbox

    /// Starts a sink on a thread of its own.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - services: The agent and the directories.
    ///   - machine: The machine's state, if it is known already.
    ///   - isAgentConnected: True if the agent has sent its hello.
    ///   - ended: Called on the thread as its last action.
    /// - Throws: ``SystemError`` if no thread or descriptor is left.
    init(
        _ settings: SinkSettings,
        host: String,
        _ services: SinkServices,
        machine: MachineState?,
        isAgentConnected: Bool,
        ended: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.settings = settings
        self.host = host
        let inbox = try SinkInbox(machine: machine, isAgentConnected: isAgentConnected)
        self.inbox = inbox
        try NamedThread.start("sink") {
            SinkLoop.run(settings, host: host, services, inbox)
            ended()
        }
    }

    /// Passes a new state of the machine to the sink.
    func put(_ machine: MachineState) { inbox.put { $0.machine = machine } }

    /// Notifies the sink that the agent has sent its hello.
    func agentAppeared() {
        inbox.put { content in
            content.isAgentConnected = true
            content.isAgentNew = true
        }
    }

    /// Notifies the sink that the connection to the agent has ended.
    func agentDisappeared() { inbox.put { $0.isAgentConnected = false } }

    /// Notifies the sink that the agent has reloaded its configuration.
    func agentReloaded() { inbox.put { $0.isAgentReloaded = true } }

    /// Notifies the sink that the machine has resumed, or that the time of day was set: what is due is done now.
    func clockChanged() { inbox.put { $0.isClockChanged = true } }

    /// Stops the sink, which calls `ended` when it has stopped.
    ///
    /// - Parameter next: The settings with which it is to start again; `nil` if it is not.
    func stop(before next: SinkSettings? = nil) {
        // The agent has applied the next settings already, and would take the last numbers for those of the next device.
        let isReplaced = next.map { $0.target != settings.target } ?? false
        // Settings with which a sink runs are valid.
        let abandoned = next.flatMap { try? settings.abandonedTopics(before: $0) } ?? []
        inbox.put { content in
            content.isStopping = true
            content.isReplaced = content.isReplaced || isReplaced
            content.abandonedTopics = abandoned
        }
    }
}

/// The services that all sinks share.
struct SinkServices: Sendable {
    /// The agent.
    let client: StateClient
    /// The directory of the cursors.
    let stateDirectory: String
    /// The sender of the reports.
    let reports: ReportSender
    /// Passes a sink's state to the service manager.
    let note: @Sendable (SinkStatus) -> Void
}

/// The inbox of a sink's thread, filled by other threads.
final class SinkInbox: Sendable {
    /// Everything that has arrived since the last call of ``take()``.
    struct Content: Sendable {
        /// The machine's newest state.
        var machine: MachineState?
        /// True after the agent's hello, and false after its connection has ended.
        var isAgentConnected: Bool?
        /// The outcome of the report that was sent.
        var reportOutcome: ReportSender.Outcome?
        /// True if the agent has sent its hello: it may have restarted, and not know the sink.
        var isAgentNew = false
        /// True if the agent has reloaded its configuration.
        var isAgentReloaded = false
        /// True if the machine has resumed from a suspend, or the time of day was set.
        var isClockChanged = false
        /// True if the sink is to stop.
        var isStopping = false
        /// True if the sink's successor has another broker or device, and ships everything anew.
        var isReplaced = false
        /// The topics of retained messages that the sink's successor does not keep.
        var abandonedTopics: [String] = []
    }

    /// The descriptor to sleep with, which is also used by the transport to wake the thread.
    let wakeup: Wakeup
    private let content: Mutex<Content>

    init(machine: MachineState?, isAgentConnected: Bool = false) throws(SystemError) {
        wakeup = try Wakeup()
        content = Mutex(Content(machine: machine, isAgentConnected: isAgentConnected))
    }

    /// Changes the content, and wakes the thread.
    func put(_ change: (inout Content) -> Void) {
        content.withLock { change(&$0) }
        wakeup.signal()
    }

    /// Returns the content; a later wake-up is for later content.
    func take() -> Content {
        wakeup.reset()
        return content.withLock { content in
            defer {
                content = Content(
                    isStopping: content.isStopping,
                    isReplaced: content.isReplaced,
                    abandonedTopics: content.abandonedTopics
                )
            }
            return content
        }
    }
}
