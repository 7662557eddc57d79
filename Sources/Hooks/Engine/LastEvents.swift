internal import AgentEvents

/// The last event of each subject, for hooks that are added later with `at_start`.
struct LastEvents: Sendable {
    /// The types that report a state.
    static let types: Set<EventType> = [
        .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged, .pathChanged,
    ]
    /// The maximum number of subjects; beyond it the least recently changed one is dropped.
    static let maximumSubjects = 1024

    private struct Key: Hashable {
        var type: EventType
        var subject: String
    }

    private var events: [Key: (order: UInt64, event: Event)] = [:]
    private var order: UInt64 = 0

    /// The number of subjects.
    var count: Int { events.count }

    /// Records an event, if it is of one of the types.
    mutating func note(_ event: Event) {
        guard Self.types.contains(event.type) else { return }
        let key = Key(type: event.type, subject: event.subject)
        if events[key] == nil, events.count >= Self.maximumSubjects,
            let oldest = events.min(by: { $0.value.order < $1.value.order })?.key
        {
            events[oldest] = nil
        }
        order &+= 1
        events[key] = (order, event)
    }

    /// Returns the last events of some types, in order.
    func events(of types: Set<EventType>) -> [Event] {
        events.values.filter { types.contains($0.event.type) }.sorted { $0.order < $1.order }.map(\.event)
    }
}
