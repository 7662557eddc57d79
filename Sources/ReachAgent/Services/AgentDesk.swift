internal import EventEnvelope
internal import EventJournal
internal import EventSchema
internal import Glibc
internal import NotificationBus
internal import StateSocket

/// Answers what the sockets are asked about the agent.
///
/// Called on the sockets' event loop: everything here comes from copies that are at hand.
final class AgentDesk: AgentInterface {
    private let board: StatusBoard
    private let origin: EventOrigin
    private let journal: EventJournal?
    private let bus: NotificationBus<Event>
    private let sockets: StateSocketConfiguration

    init(
        board: StatusBoard,
        origin: EventOrigin,
        journal: EventJournal?,
        bus: NotificationBus<Event>,
        sockets: StateSocketConfiguration
    ) {
        self.board = board
        self.origin = origin
        self.journal = journal
        self.bus = bus
        self.sockets = sockets
    }

    var streamID: String { origin.streamID }

    func opening() -> StreamOpening {
        let (snapshot, sequence) = board.snapshot()
        let hello = EventDraft.agentHello(
            version: Agent.version,
            origin: origin,
            sequence: sequence,
            oldestSequence: journal?.oldestSequence,
            processID: getpid()
        )
        return StreamOpening(hello: event(hello), snapshot: event(snapshot), sequence: sequence)
    }

    func lagged(lastSequence: UInt64) -> Event { event(.subscriberLagged(lastSequence: lastSequence)) }

    func status(connections: Int) -> [UInt8] {
        let summary = SocketSummary(
            events: "\(sockets.directory)/events.sock",
            control: "\(sockets.directory)/control.sock",
            connections: connections,
            limit: sockets.mostConnections
        )
        return board.status(journal: journalSummary, sockets: summary).json
    }

    /// The journal cannot say itself that it hangs: the bus knows, which waits for it no longer.
    private var journalSummary: JournalSummary? {
        guard let journal else { return nil }
        var summary = JournalSummary(journal.status())
        if summary.trouble == nil, bus.isRecorderBypassed {
            summary.trouble = JournalSummary.Trouble(
                code: JournalCondition.Code.stalled.rawValue,
                detail: "the disk does not answer; events are delivered before they are recorded"
            )
        }
        return summary
    }

    func call(_ method: String, parameters: [UInt8], reply: @escaping @Sendable (ControlReply) -> Void) {
        switch method {
        case "probe":
            reply(.failure(code: "no_probe_configured", message: "this agent has no probe to make"))
        case "reload":
            reply(
                .failure(code: "no_configuration_file", message: "this agent was started without a configuration file")
            )
        default:
            reply(.failure(code: "unknown_method", message: "there is no method '\(method)'"))
        }
    }

    /// An event outside the history: a random number makes its `id` unique.
    private func event(_ draft: EventDraft) -> Event {
        Event(draft, from: origin, at: .now, number: .random(in: 1 ... .max))
    }
}
