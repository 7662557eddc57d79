internal import AgentEvents
internal import Sinks
internal import StateClient

/// The agent as it is now: a subscription of its own beside those that read the journal from the past.
struct AgentFollower {
    /// Something that the sinks have to know.
    enum News {
        /// The machine is in this state.
        case machine(MachineState)
        /// The agent has said hello: it may have started anew.
        case agentAppeared
        /// The agent has read its configuration again.
        case reloaded
    }

    private let reader: StateReader
    private var isInterrupted = false

    init(_ client: StateClient) throws(ClientError) {
        reader = try client.reader(StateSubscription(types: ["config.reloaded", "reachability.changed"]))
    }

    /// The descriptor to wait for; negative for none.
    var descriptor: Int32 { reader.descriptor }

    /// The moment at which ``take()`` has something to do by itself.
    var deadline: ContinuousClock.Instant? { reader.deadline }

    /// Takes what has happened.
    ///
    /// - Throws: ``ClientError`` when the agent cannot be followed from here.
    mutating func take() throws(ClientError) -> [News] {
        var news: [News] = []
        for item in try reader.take(maximum: 64) {
            switch item {
            case .connected:
                isInterrupted = false
                news.append(.agentAppeared)
            case .snapshot(let line), .event(let line):
                guard let event = line.event else { continue }
                if let state = MachineState(event) {
                    news.append(.machine(state))
                } else if case .configReloaded = event.content {
                    news.append(.reloaded)
                }
            case .interrupted(let error, _):
                // Tried again every other second for as long as the agent is away.
                if !isInterrupted { SinkLog.write(.notice, "waiting for the agent: \(error)") }
                isInterrupted = true
            case .missed, .restarted: break
            }
        }
        return news
    }
}
