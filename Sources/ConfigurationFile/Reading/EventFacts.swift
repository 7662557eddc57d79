internal import EventEnvelope
internal import Hooks

/// What the events of a type tell that a hook can ask for.
struct EventFacts {
    /// Something that an event tells.
    enum Fact: Hashable {
        case via, interface, connectivity, verdict, cause, target, probe
    }

    let type: EventType
    let facts: Set<Fact>

    /// Everything that can happen; a type is there twice when not all of its events tell the same.
    static let all: [EventFacts] = [
        EventFacts(type: .reachabilityChanged, facts: [.via, .interface, .connectivity, .cause]),
        EventFacts(type: .pathChanged, facts: [.via, .interface, .connectivity, .cause]),
        EventFacts(type: .pathChanged, facts: [.via, .interface, .cause, .target]),
        EventFacts(type: .targetChanged, facts: [.via, .interface, .cause, .target]),
        EventFacts(type: .uplinkChanged, facts: [.interface, .connectivity, .cause]),
        EventFacts(type: .probeChanged, facts: [.interface, .verdict, .cause, .probe]),
        EventFacts(type: .certificateExpiring, facts: [.probe]),
    ]

    /// The types whose last event is a state, which can be told again.
    static let statefulTypes: Set<EventType> = [
        .reachabilityChanged, .pathChanged, .targetChanged, .uplinkChanged, .probeChanged,
    ]

    /// Whether the event tells one of each of these.
    func meets(_ conditions: some Sequence<Set<Fact>>) -> Bool {
        conditions.allSatisfy { !$0.isDisjoint(with: facts) }
    }

    /// The types of event that tell one of these.
    static func types(telling facts: Set<Fact>) -> Set<EventType> {
        Set(all.filter { !$0.facts.isDisjoint(with: facts) }.map(\.type))
    }

    /// `path.changed, target.changed and probe.changed`, in the order of ``HookTrigger/types``.
    static func listed(_ types: Set<EventType>) -> String {
        let words = HookTrigger.types.filter(types.contains).map(\.shortName)
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension HookFilter.Aspect {
    /// What an event must tell for it to be seen.
    var fact: EventFacts.Fact {
        switch self {
        case .via: .via
        case .interface: .interface
        case .connectivity: .connectivity
        case .verdict: .verdict
        }
    }
}
