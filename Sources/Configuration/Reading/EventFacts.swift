internal import AgentEvents
internal import Hooks

/// The properties of a type of event that the condition of a hook can name.
struct EventFacts {
    /// A property of an event.
    enum Fact: Hashable {
        case via, interface, connectivity, verdict, cause, target, probe
    }

    let type: EventType
    let facts: Set<Fact>

    /// All types; one is there twice when its events differ in their properties.
    static let all: [EventFacts] = [
        EventFacts(type: .reachabilityChanged, facts: [.via, .interface, .connectivity, .cause]),
        EventFacts(type: .pathChanged, facts: [.via, .interface, .connectivity, .cause]),
        EventFacts(type: .pathChanged, facts: [.via, .interface, .cause, .target]),
        EventFacts(type: .targetChanged, facts: [.via, .interface, .cause, .target]),
        EventFacts(type: .uplinkChanged, facts: [.interface, .connectivity, .cause]),
        EventFacts(type: .probeChanged, facts: [.interface, .verdict, .cause, .probe]),
        EventFacts(type: .certificateExpiring, facts: [.probe]),
    ]

    /// The types whose last event is a state, which can be given again.
    static let statefulTypes: Set<EventType> = [
        .reachabilityChanged, .pathChanged, .targetChanged, .uplinkChanged, .probeChanged,
    ]

    /// True when the event has one of each of these.
    func meets(_ conditions: some Sequence<Set<Fact>>) -> Bool {
        conditions.allSatisfy { !$0.isDisjoint(with: facts) }
    }

    /// The types of event that have one of these.
    static func types(telling facts: Set<Fact>) -> Set<EventType> {
        Set(all.filter { !$0.facts.isDisjoint(with: facts) }.map(\.type))
    }

    /// `path.changed, target.changed and probe.changed`, in the order of ``HookTrigger/types``.
    static func listed(_ types: Set<EventType>, quotedBy mark: String = "") -> String {
        let words = HookTrigger.types.filter(types.contains).map { "\(mark)\($0.shortName)\(mark)" }
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension HookFilter.Aspect {
    /// The property of an event in which it shows.
    var fact: EventFacts.Fact {
        switch self {
        case .via: .via
        case .interface: .interface
        case .connectivity: .connectivity
        case .verdict: .verdict
        }
    }
}
