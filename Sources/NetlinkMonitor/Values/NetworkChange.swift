/// One difference between two snapshots.
public struct NetworkChange: Sendable, Hashable, CustomStringConvertible, Codable {
    /// The type of change; the raw values are stable and may be stored.
    public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
        /// An interface appeared.
        case linkAdded = "link_added"
        /// An interface was removed.
        case linkRemoved = "link_removed"
        /// An interface was renamed.
        case linkRenamed = "link_renamed"
        /// An interface can pass packets now.
        case linkUp = "link_up"
        /// An interface can no longer pass packets.
        case linkDown = "link_down"
        /// Something else about an interface changed: a flag, the state, the lower interface.
        case linkChanged = "link_changed"
        /// The kind of an interface changed.
        case kindChanged = "kind_changed"
        /// An interface got an address, or an address became usable.
        case addressAdded = "address_added"
        /// An interface lost an address, or an address became unusable.
        case addressRemoved = "address_removed"
        /// The flags of an address changed but not its usability.
        case addressChanged = "address_changed"
        /// A default route appeared.
        case routeAdded = "route_added"
        /// A default route was removed.
        case routeRemoved = "route_removed"
        /// A route expired.
        case routeExpired = "route_expired"
        /// The policy rules changed.
        case ruleChanged = "rule_changed"
        /// A router stopped answering, or answers again, and the kernel selected another route.
        case neighbourChanged = "neighbour_changed"
        /// A sysctl that affects route lookups was set.
        case sysctlChanged = "sysctl_changed"
        /// The kernel now resolves an address differently.
        case lookupChanged = "lookup_changed"
        /// The underlay of a tunnel changed.
        case underlayChanged = "underlay_changed"
        /// The snapshot became reliable, or unreliable.
        case synchronizationChanged = "synchronization_changed"
    }

    /// The type of change.
    public let code: Code
    /// The index of the affected interface, if any.
    public let interfaceIndex: UInt32?
    /// The name of the affected interface; the old name of one that was removed.
    public let interfaceName: String?
    /// The affected address family, if it is only one.
    public let family: AddressFamily?
    /// The details, for people.
    public let detail: String

    /// Creates a change.
    public init(
        code: Code,
        interfaceIndex: UInt32? = nil,
        interfaceName: String? = nil,
        family: AddressFamily? = nil,
        detail: String
    ) {
        self.code = code
        self.interfaceIndex = interfaceIndex
        self.interfaceName = interfaceName
        self.family = family
        self.detail = detail
    }

    /// Returns the changes with causes that no snapshot shows, before the effects that they explain.
    static func explaining(_ changes: [NetworkChange], by hints: [NetworkChange]) -> [NetworkChange] {
        guard !hints.isEmpty else { return changes }
        var explained = changes
        var hints = hints
        if hints.contains(where: { $0.code == .routeExpired }),
            let removed = changes.firstIndex(where: { $0.code == .routeRemoved && $0.family == .ipv6 })
        {
            let route = changes[removed]
            explained[removed] = NetworkChange(
                code: .routeExpired,
                interfaceIndex: route.interfaceIndex,
                interfaceName: route.interfaceName,
                family: route.family,
                detail: route.detail
            )
            hints.removeAll { $0.code == .routeExpired }
        }
        guard let effect = changes.firstIndex(where: { $0.code == .lookupChanged }) else { return explained }
        explained.insert(contentsOf: hints.filter { $0.code != .neighbourChanged }, at: effect)
        // A failed router is looked up with a delay, and an address added in between is not the cause.
        let links: Set<Code> = [.linkAdded, .linkRemoved, .linkRenamed, .linkUp, .linkDown, .linkChanged, .kindChanged]
        let behindLinks = changes.firstIndex { !links.contains($0.code) } ?? effect
        explained.insert(contentsOf: hints.filter { $0.code == .neighbourChanged }, at: min(behindLinks, effect))
        return explained
    }

    /// `code: detail`.
    public var description: String { "\(code.rawValue): \(detail)" }
}
