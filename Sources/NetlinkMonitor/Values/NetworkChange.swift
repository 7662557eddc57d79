/// One difference between two snapshots.
public struct NetworkChange: Sendable, Hashable, CustomStringConvertible, Codable {
    /// What changed; the raw values are stable and may be stored.
    public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
        /// An interface appeared.
        case linkAdded = "link_added"
        /// An interface is gone.
        case linkRemoved = "link_removed"
        /// An interface has another name.
        case linkRenamed = "link_renamed"
        /// An interface can pass packets now.
        case linkUp = "link_up"
        /// An interface cannot pass packets any more.
        case linkDown = "link_down"
        /// Something else about an interface changed: a flag, the state, what it stands on.
        case linkChanged = "link_changed"
        /// An interface is found to be of another kind.
        case kindChanged = "kind_changed"
        /// An interface got an address, or an address became usable.
        case addressAdded = "address_added"
        /// An interface lost an address, or an address became unusable.
        case addressRemoved = "address_removed"
        /// The flags of an address changed and its usability did not.
        case addressChanged = "address_changed"
        /// A default route appeared.
        case routeAdded = "route_added"
        /// A default route is gone.
        case routeRemoved = "route_removed"
        /// The lifetime of a route ended.
        case routeExpired = "route_expired"
        /// The policy rules changed.
        case ruleChanged = "rule_changed"
        /// A router stopped answering, or answers again, and the kernel chose another route.
        case neighbourChanged = "neighbour_changed"
        /// A sysctl that route lookups depend on was set.
        case sysctlChanged = "sysctl_changed"
        /// The kernel now resolves an address differently.
        case lookupChanged = "lookup_changed"
        /// What carries a tunnel changed.
        case underlayChanged = "underlay_changed"
        /// The view became certain, or uncertain.
        case synchronizationChanged = "synchronization_changed"
    }

    /// What changed.
    public let code: Code
    /// The interface concerned, when there is one.
    public let interfaceIndex: UInt32?
    /// That interface's name; the old name for an interface that is gone.
    public let interfaceName: String?
    /// The address family concerned, when it is one.
    public let family: AddressFamily?
    /// The particulars, for people.
    public let detail: String

    /// A change.
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

    /// The changes with their causes that no snapshot shows, in front of the effects that they explain.
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
        // A failed router is looked into a while later, and an address that came in between is not the cause.
        let links: Set<Code> = [.linkAdded, .linkRemoved, .linkRenamed, .linkUp, .linkDown, .linkChanged, .kindChanged]
        let behindLinks = changes.firstIndex { !links.contains($0.code) } ?? effect
        explained.insert(contentsOf: hints.filter { $0.code == .neighbourChanged }, at: min(behindLinks, effect))
        return explained
    }

    /// `code: detail`.
    public var description: String { "\(code.rawValue): \(detail)" }
}
