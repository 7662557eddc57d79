internal import EventEnvelope

extension HookOccasion {
    /// The folders whose hooks run for an event; empty unless it is a settled change of the default path.
    package static func occasions(of event: HookEvent) -> Set<HookOccasion> {
        guard event.type == .reachabilityChanged else { return [] }
        var occasions: Set<HookOccasion> = [.every]
        if let via = event.to.via, via != event.from.via, let occasion = become[via] { occasions.insert(occasion) }
        if event.to.connectivity == "full", event.from.connectivity != "full" { occasions.insert(.online) }
        if let from = event.from.connectivity, ["full", "unknown"].contains(from),
            let to = event.to.connectivity, ["none", "local", "portal", "partial"].contains(to)
        {
            occasions.insert(.offline)
        }
        return occasions
    }

    /// The folder for what the `via` became.
    private static var become: [String: HookOccasion] {
        ["none": .none, "wifi": .wifi, "wwan": .wwan, "wired": .wired, "other": .other]
    }
}
