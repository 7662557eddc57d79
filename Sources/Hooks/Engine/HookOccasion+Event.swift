package import AgentEvents

extension HookOccasion {
    /// The types of event for which the hooks of directories run.
    package static let types: Set<EventType> = [.reachabilityChanged, .uplinkChanged]

    /// The type of event for which the hooks of this directory run.
    package var type: EventType { self == .uplink ? .uplinkChanged : .reachabilityChanged }

    /// The pace of this directory's hooks: only the newest state of the default path matters, but the change of one
    /// uplink does not replace that of another.
    var pace: HookPace { HookPace(queue: self == .uplink ? .all : .latest) }

    /// Returns the directories whose hooks run for an event; empty unless it is a settled change of the default path or
    /// of an uplink.
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

    /// The directory for a new `via`.
    private static var become: [String: HookOccasion] {
        ["none": .none, "wifi": .wifi, "wwan": .wwan, "wired": .wired, "other": .other]
    }
}
