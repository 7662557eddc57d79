internal import EventEnvelope

/// The last event of each subject, for hooks that are added later and want to know how things are.
struct LastEvents: Sendable {
    /// The types that say how something is.
    static let types: Set<EventType> = [
        .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged, .pathChanged,
    ]
    /// The most subjects that are remembered; beyond that the one is forgotten that was silent for the longest time.
    static let mostSubjects = 1024

    private struct Key: Hashable {
        var type: EventType
        var subject: String
    }

    private var events: [Key: (order: UInt64, event: Event)] = [:]
    private var order: UInt64 = 0

    /// How many there are.
    var count: Int { events.count }

    /// Remembers an event, if it is of one of the types.
    mutating func note(_ event: Event) {
        guard Self.types.contains(event.type) else { return }
        let key = Key(type: event.type, subject: event.subject)
        if events[key] == nil, events.count >= Self.mostSubjects,
            let oldest = events.min(by: { $0.value.order < $1.value.order })?.key
        {
            events[oldest] = nil
        }
        order &+= 1
        events[key] = (order, event)
    }

    /// The last events of some types, in the order in which they came.
    func events(of types: Set<EventType>) -> [Event] {
        events.values.filter { types.contains($0.event.type) }.sorted { $0.order < $1.order }.map(\.event)
    }
}
