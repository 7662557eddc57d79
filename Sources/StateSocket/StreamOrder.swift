internal import ForeignText

/// What a subscriber asked for.
struct StreamOrder: Sendable, Hashable {
    /// How the lines look.
    var form: LineForm
    /// Which events are wanted.
    var filter: EventFilter
    /// The number after which the events begin; `nil` for those after the snapshot.
    var since: UInt64?
    /// The stream that the number belongs to.
    var stream: ForeignText?
    /// Whether the snapshot is wanted; there is none when the events begin after a number.
    var wantsSnapshot: Bool

    /// What a connection to events.sock asks for.
    static let everything = StreamOrder(form: .plain, filter: EventFilter(), wantsSnapshot: true)
}

/// Why a subscription does not begin.
struct StreamRefusal: Hashable {
    var code: String
    /// The one parameter, which says how things are.
    var parameter: Parameter

    enum Parameter: Hashable {
        case stream(String)
        case newest(UInt64)
        case oldest(UInt64)
    }
}
