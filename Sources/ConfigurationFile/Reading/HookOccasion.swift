internal import EventEnvelope
internal import Hooks

/// A kind of event that a hook can run for, and what it tells that a hook can ask for.
struct HookOccasion {
    /// Something that an event tells.
    enum Fact: Hashable {
        case via, interface, connectivity, verdict, cause, target, probe
    }

    let type: EventType
    let facts: Set<Fact>

    /// Everything that can happen; a type is there twice when not all of its events tell the same.
    static let all: [HookOccasion] = [
        HookOccasion(type: .reachabilityChanged, facts: [.via, .interface, .connectivity, .cause]),
        HookOccasion(type: .pathChanged, facts: [.via, .interface, .connectivity, .cause]),
        HookOccasion(type: .pathChanged, facts: [.via, .interface, .cause, .target]),
        HookOccasion(type: .targetChanged, facts: [.via, .interface, .cause, .target]),
        HookOccasion(type: .probeChanged, facts: [.interface, .verdict, .cause, .probe]),
        HookOccasion(type: .certificateExpiring, facts: [.probe]),
    ]

    /// The types whose last event is a state, which can be told again.
    static let statefulTypes: Set<EventType> = [.reachabilityChanged, .pathChanged, .targetChanged, .probeChanged]

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

extension EventType {
    /// The type as a configuration names it: `reachability.changed`.
    var shortName: String {
        let prefix = "reachagent."
        return rawValue.hasPrefix(prefix) ? String(rawValue.dropFirst(prefix.count)) : rawValue
    }
}

extension HookFilter.Aspect {
    /// What an event must tell for it to be seen.
    var fact: HookOccasion.Fact {
        switch self {
        case .via: .via
        case .interface: .interface
        case .connectivity: .connectivity
        case .verdict: .verdict
        }
    }
}
