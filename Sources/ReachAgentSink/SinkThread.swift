internal import AgentEvents
internal import LinuxSupport
internal import Sinks
internal import StateClient
internal import Synchronization

/// A sink at work, as the supervisor sees it.
struct SinkThread: Sendable {
    /// The settings that it was started with.
    let settings: SinkSettings
    /// The host's name for people that it was started with.
    let host: String
    private let inbox: SinkInbox

    /// Starts a sink on a thread of its own.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - services: The agent and the directories.
    ///   - machine: The machine's state, where it is known already.
    ///   - ended: Called on the thread as the last thing.
    /// - Throws: ``SystemError`` when the system has no thread or descriptor left.
    init(
        _ settings: SinkSettings,
        host: String,
        _ services: SinkServices,
        machine: MachineState?,
        ended: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.settings = settings
        self.host = host
        let inbox = try SinkInbox(machine: machine)
        self.inbox = inbox
        try NamedThread.start("sink") {
            SinkLoop.run(settings, host: host, services, inbox)
            ended()
        }
    }

    /// Passes a new state of the machine to the sink.
    func put(_ machine: MachineState) { inbox.put { $0.machine = machine } }

    /// Notifies the sink that the agent has sent its hello.
    func agentAppeared() { inbox.put { $0.isAgentNew = true } }

    /// Ends the sink, which calls `ended` when it is done.
    func stop() { inbox.put { $0.isStopping = true } }
}

/// The services that all sinks share.
struct SinkServices: Sendable {
    /// The agent.
    let client: StateClient
    /// The directory of the cursors.
    let stateDirectory: String
    /// The way of the reports.
    let reports: ReportSender
    /// Takes a sink's state for the service manager.
    let note: @Sendable (SinkStatus) -> Void
}

/// The inbox of a sink's thread, filled by other threads.
final class SinkInbox: Sendable {
    /// Everything that has come since the last look.
    struct Content: Sendable {
        /// The machine's newest state.
        var machine: MachineState?
        /// The end of the report that was sent.
        var reportOutcome: ReportSender.Outcome?
        /// The agent has said hello: it may have started anew, and know nothing of the sink.
        var isAgentNew = false
        /// The sink is to end.
        var isStopping = false
    }

    /// The descriptor to sleep with, and what the transport wakes the thread with.
    let wakeup: Wakeup
    private let content: Mutex<Content>

    init(machine: MachineState?) throws(SystemError) {
        wakeup = try Wakeup()
        content = Mutex(Content(machine: machine))
    }

    /// Changes the content, and wakes the thread.
    func put(_ change: (inout Content) -> Void) {
        content.withLock { change(&$0) }
        wakeup.signal()
    }

    /// Takes what has come; a wake-up from now on is for what comes later.
    func take() -> Content {
        wakeup.reset()
        return content.withLock { content in
            defer { content = Content(isStopping: content.isStopping) }
            return content
        }
    }
}
