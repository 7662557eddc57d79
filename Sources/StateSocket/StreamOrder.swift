internal import AgentEvents
internal import ForeignText

/// The parameters of a subscription.
struct StreamOrder: Sendable, Hashable {
    /// The form of the lines.
    var form: LineForm
    /// The selected events.
    var filter: EventFilter
    /// The number after which the events start; `nil` for those after the snapshot.
    var since: UInt64?
    /// The time from which on the events start, instead of a number.
    var sinceTime: Timestamp?
    /// The stream to which the number belongs.
    var stream: ForeignText?
    /// `true` to send the snapshot; there is none when the events start after a number or from a time on.
    var wantsSnapshot: Bool
    /// `true` for the events of the past only: no `agent.hello`, and the end at the newest event.
    var isHistory = false

    /// The subscription of a connection to events.sock.
    static let everything = StreamOrder(form: .plain, filter: EventFilter(), wantsSnapshot: true)
}

/// The reason a subscription is refused.
struct StreamRefusal: Hashable {
    var code: String
    /// The single parameter with the details.
    var parameter: Parameter

    enum Parameter: Hashable {
        case stream(String)
        case newest(UInt64)
        case oldest(UInt64)
    }
}
