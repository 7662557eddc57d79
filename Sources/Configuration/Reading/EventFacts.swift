internal import AgentEvents
internal import Hooks

/// The properties of an event type that the condition of a hook can specify.
struct EventFacts {
    /// A property of an event.
    enum Fact: Hashable {
        case via, interface, connectivity, verdict, cause, target, probe
    }

    let type: EventType
    let facts: Set<Fact>

    /// All event types; a type is listed twice if its events differ in their properties.
    static let all: [EventFacts] = [
        EventFacts(type: .reachabilityChanged, facts: [.via, .interface, .connectivity, .cause]),
        EventFacts(type: .pathChanged, facts: [.via, .interface, .connectivity, .cause]),
        EventFacts(type: .pathChanged, facts: [.via, .interface, .cause, .target]),
        EventFacts(type: .targetChanged, facts: [.via, .interface, .cause, .target]),
        EventFacts(type: .uplinkChanged, facts: [.interface, .connectivity, .cause]),
        EventFacts(type: .probeChanged, facts: [.interface, .verdict, .cause, .probe]),
        EventFacts(type: .certificateExpiring, facts: [.probe]),
    ]

    /// The types whose last event is a state that is also published when the agent starts.
    ///
    /// The first state of an uplink is only in the snapshot that subscribers get.
    static let statefulTypes: Set<EventType> = [.reachabilityChanged, .pathChanged, .targetChanged, .probeChanged]

    /// Returns whether the event has at least one property of each set.
    func meets(_ conditions: some Sequence<Set<Fact>>) -> Bool {
        conditions.allSatisfy { !$0.isDisjoint(with: facts) }
    }

    /// Returns the event types that have at least one of these properties.
    static func types(telling facts: Set<Fact>) -> Set<EventType> {
        Set(all.filter { !$0.facts.isDisjoint(with: facts) }.map(\.type))
    }

    /// Returns the types as a list in the order of ``HookTrigger/types``: `path.changed and probe.changed`.
    static func listed(_ types: Set<EventType>, quotedBy mark: String = "") -> String {
        let words = HookTrigger.types.filter(types.contains).map { "\(mark)\($0.shortName)\(mark)" }
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension HookFilter.Aspect {
    /// The event property that contains this aspect.
    var fact: EventFacts.Fact {
        switch self {
        case .via: .via
        case .interface: .interface
        case .connectivity: .connectivity
        case .verdict: .verdict
        }
    }
}
