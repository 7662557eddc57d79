internal import AgentEvents
internal import NotificationBus
internal import StateSocket

/// As little of an agent as the sockets need.
struct LoadAgent: AgentInterface {
    let bus: NotificationBus<Event>
    let sample: SampleEvent
    let streamID: String

    func opening() -> StreamOpening {
        StreamOpening(
            hello: sample.opening(.agentHello),
            snapshot: sample.opening(.networkSnapshot),
            sequence: bus.lastSequence
        )
    }

    func lagged(lastSequence: UInt64) -> Event { sample.opening(.subscriberLagged) }

    func status(connections: Int) -> [UInt8] { Array("{}".utf8) }

    var threads: [AgentThread] { [] }

    func document(_ kind: AgentDocument.Kind, connections: Int) -> AgentDocument {
        AgentDocument(contentType: "text/plain", body: [])
    }

    func report(_ request: ReportRequest, isCancelled: @escaping @Sendable () -> Bool) throws(ReportRefusal)
        -> AgentDocument
    {
        throw .absent("there is no journal")
    }

    func answer(_ request: AgentRequest, from client: AgentClient, reply: @escaping @Sendable (ControlReply) -> Void) {
        reply(.failure(code: .unknownMethod, message: "there is nothing to \(request)"))
    }
}
