internal import AgentEvents
internal import LinuxSupport
internal import Sinks
internal import Synchronization

/// What other threads have for the thread of a sink.
final class SinkInbox: Sendable {
    /// Everything that has come since the last look.
    struct Content: Sendable {
        /// The machine's newest state.
        var machine: MachineState?
        /// The end of the report that was sent.
        var reportOutcome: ReportDesk.Outcome?
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
