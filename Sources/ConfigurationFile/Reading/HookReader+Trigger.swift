internal import EventEnvelope
internal import Hooks
internal import Reachability

/// For which events a hook runs.
extension HookReader {
    mutating func readTrigger() -> HookTrigger {
        let types = Set(table.read("on", .eventTypes, default: [.reachabilityChanged]))
        guard var when = table.table("when") else { return HookTrigger(types: types) }
        let filter = readFilter(&when)
        when.finish()
        if isClean { refuseImpossible(filter, types, in: when) }
        return HookTrigger(types: types, filter: filter)
    }

    private func readFilter(_ when: inout TableReader) -> HookFilter {
        var filter = HookFilter()
        let vias = Form<Via>.choice.list(1...16).orSingle(Form<Via>.choice)
        let connectivities = Form<Connectivity>.choice.list(1...16).orSingle(Form<Connectivity>.choice)
        filter.fromVia = (when.read("from_via", vias) ?? []).map(\.rawValue)
        filter.toVia = (when.read("to_via", vias) ?? []).map(\.rawValue)
        filter.fromConnectivity = (when.read("from_connectivity", connectivities) ?? []).map(\.rawValue)
        filter.toConnectivity = (when.read("to_connectivity", connectivities) ?? []).map(\.rawValue)
        filter.targets = readNames("target", among: subjects.targets, of: &when)
        filter.probes = readNames("probe", among: subjects.probes, of: &when)
        let pattern = Form<String>.interfacePattern
        filter.interfaces = when.read("interface", pattern.list(1...64).orSingle(pattern)) ?? []
        let code = Form<String>.causeCode
        filter.causes = when.read("cause", code.list(1...64).orSingle(code)) ?? []
        let aspects = Form<HookFilter.Aspect>.choice.list(1...16).orSingle(Form<HookFilter.Aspect>.choice)
        filter.changes = when.read("changed", aspects) ?? []
        return filter
    }

    /// Names of probes or targets, which must be there: one that is not would never be heard of.
    private func readNames(_ key: String, among names: [String], of when: inout TableReader) -> [String] {
        let form = Form<String>.existing(key, among: names)
        return when.read(key, form.list(1...256).orSingle(form)) ?? []
    }

    /// A filter that no event can meet is wrong: the hook would never run, and nobody would know why.
    private func refuseImpossible(_ filter: HookFilter, _ types: Set<EventType>, in when: TableReader) {
        let conditions = Self.conditions(of: filter).filter { when.has($0.key) }
        let on = HookOccasion.listed(types)
        var isPossible = true
        for (key, facts) in conditions {
            let telling = HookOccasion.types(telling: facts)
            guard telling.isDisjoint(with: types) else { continue }
            isPossible = false
            let verb = types.count == 1 ? "says" : "say"
            let others = HookOccasion.listed(telling)
            when.report(key, "\(on) \(verb) nothing of it, so the hook would never run; it goes with \(others)")
        }
        guard isPossible, !conditions.isEmpty else { return }
        let met = HookOccasion.all.filter { types.contains($0.type) && $0.meets(conditions.map(\.facts)) }.map(\.type)
        let idle = types.subtracting(met)
        if met.isEmpty {
            let keys = conditions.map { "'\($0.key)'" }.joined(separator: ", ")
            let message = "no event of \(on) has all of it (\(keys)), so the hook would never run"
            when.notes.error(message, key: when.path, at: when.origin)
        } else if !idle.isEmpty {
            table.warn("on", "the hook never runs for \(HookOccasion.listed(idle)): 'when' asks for what others tell")
        }
    }

    /// What events must tell for each key to be met: one of the facts.
    private static func conditions(of filter: HookFilter) -> [(key: String, facts: Set<HookOccasion.Fact>)] {
        [
            ("from_via", [.via]), ("to_via", [.via]), ("from_connectivity", [.connectivity]),
            ("to_connectivity", [.connectivity]), ("target", [.target]), ("probe", [.probe]),
            ("interface", [.interface]), ("cause", [.cause]), ("changed", Set(filter.changes.map(\.fact))),
        ]
    }
}
