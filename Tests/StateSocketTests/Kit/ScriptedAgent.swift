import EventEnvelope
import NotificationBus
import StateSocket
import Synchronization

/// An agent that says what the test wants.
final class ScriptedAgent: AgentInterface {
    typealias Reply = @Sendable (ControlReply) -> Void

    let streamID = "stream-a"
    let origin = EventOrigin(streamID: "stream-a", host: "test")
    let bus: NotificationBus<Event>
    /// The number that openings show; `nil` for what the bus has released.
    let shownSequence = Mutex<UInt64?>(nil)
    /// The calls that are not answered yet.
    let calls = Mutex<[(request: AgentRequest, user: UInt32?, reply: Reply)]>([])
    let answersAtOnce = Mutex(true)
    private let unnumbered = Atomic<UInt64>(0)

    init(_ bus: NotificationBus<Event>) { self.bus = bus }

    func event(_ type: EventType, subject: String = "default", padding: Int = 0, number: UInt64) -> Event {
        let draft = EventDraft(type, subject: subject, summary: "") { json in
            json.member("n", number)
            if padding > 0 { json.member("padding", String(repeating: "x", count: padding)) }
        }
        return Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 0), number: number)
    }

    private func plain(_ type: EventType, subject: String, _ number: UInt64) -> Event {
        let draft = EventDraft(type, subject: subject, summary: "") { $0.member("last_seq", number) }
        let id = unnumbered.add(1, ordering: .relaxed).newValue
        return Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 0), number: id)
    }

    func opening() -> StreamOpening {
        let number = shownSequence.withLock { $0 } ?? bus.lastReleased
        return StreamOpening(
            hello: plain(.networkSnapshot, subject: "hello", number),
            snapshot: plain(.networkSnapshot, subject: "snapshot", number),
            sequence: number
        )
    }

    func lagged(lastSequence: UInt64) -> Event { plain(.subscriberLagged, subject: "agent", lastSequence) }

    func status(connections: Int) -> [UInt8] { Array(#"{"connections":\#(connections)}"#.utf8) }

    func answer(_ request: AgentRequest, from user: UInt32?, reply: @escaping Reply) {
        if answersAtOnce.withLock({ $0 }) { return reply(.parameters(Array(#"{"did":"\#(request)"}"#.utf8))) }
        calls.withLock { $0.append((request, user, reply)) }
    }
}
