package import EventEnvelope

extension HookOccasion {
    /// The types of event that the hooks of folders run for.
    package static let types: Set<EventType> = [.reachabilityChanged, .uplinkChanged]

    /// The type of event that the hooks of this folder run for.
    package var type: EventType { self == .uplink ? .uplinkChanged : .reachabilityChanged }

    /// The pace of this folder's hooks: the newest state of the default path is the one that matters, but the change of one
    /// uplink does not replace that of another.
    var pace: HookPace { HookPace(queue: self == .uplink ? .all : .latest) }

    /// The folders whose hooks run for an event; empty unless it is a settled change of the default path or of an uplink.
    package static func occasions(of event: HookEvent) -> Set<HookOccasion> {
        if event.type == .uplinkChanged { return [.uplink] }
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
