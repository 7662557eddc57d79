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
        /// An interface can no longer pass packets, or one that could not do so was set down.
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

extension NetworkSnapshot {
    /// Returns the changes since an earlier snapshot: empty exactly when both are equal, regardless of order.
    ///
    /// Links come first, then addresses, rules, routes and lookups: causes before effects.
    public func diff(from old: NetworkSnapshot) -> [NetworkChange] {
        var changes = linkChanges(since: old)
        if addresses != old.addresses { changes += addressChanges(since: old) }
        if rules != old.rules {
            changes.append(.init(code: .ruleChanged, detail: "\(old.rules.count) rules before, \(rules.count) now"))
        }
        if defaultRoutes != old.defaultRoutes { changes += routeChanges(since: old) }
        if lookups != old.lookups || internetAddresses != old.internetAddresses { changes += lookupChanges(since: old) }
        if underlays != old.underlays { changes += underlayChanges(since: old) }
        if isSynchronized != old.isSynchronized {
            let detail =
                isSynchronized ? "the kernel's state was read again" : "messages were lost and not yet made good"
            changes.append(.init(code: .synchronizationChanged, detail: detail))
        }
        return changes
    }

    private func linkChanges(since old: NetworkSnapshot) -> [NetworkChange] {
        links.differences(since: old.links).flatMap { difference -> [NetworkChange] in
            switch difference {
            case (nil, let link?): [link.change(.linkAdded, "\(link.kind.rawValue) interface")]
            case (let link?, nil): [link.change(.linkRemoved, "\(link.kind.rawValue) interface")]
            case (let before?, let after?): after.changes(since: before)
            case (nil, nil): []
            }
        }
    }

    private func addressChanges(since old: NetworkSnapshot) -> [NetworkChange] {
        let before = Dictionary(old.addresses.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let after = Dictionary(addresses.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let gone = old.addresses.filter { after[$0.key] == nil }.map { change(.addressRemoved, $0, name: old) }
        let new = addresses.compactMap { address -> NetworkChange? in
            guard let known = before[address.key] else {
                return change(address.isUsable ? .addressAdded : .addressChanged, address, name: self)
            }
            guard known != address else { return nil }
            guard known.isUsable == address.isUsable else {
                return change(address.isUsable ? .addressAdded : .addressRemoved, address, name: self)
            }
            return change(.addressChanged, address, name: self)
        }
        return gone + new
    }

    private func change(
        _ code: NetworkChange.Code,
        _ address: InterfaceAddress,
        name snapshot: NetworkSnapshot
    ) -> NetworkChange {
        NetworkChange(
            code: code,
            interfaceIndex: address.interfaceIndex,
            interfaceName: snapshot.interfaceName(address.interfaceIndex),
            family: address.address.family,
            detail: address.description
        )
    }

    private func routeChanges(since old: NetworkSnapshot) -> [NetworkChange] {
        func change(_ code: NetworkChange.Code, _ route: Route, in snapshot: NetworkSnapshot) -> NetworkChange {
            let interface = route.nextHops.first?.interfaceIndex
            return NetworkChange(
                code: code,
                interfaceIndex: interface,
                interfaceName: interface.map(snapshot.interfaceName),
                family: route.family,
                detail: route.describe(in: snapshot)
            )
        }
        let gone = Set(old.defaultRoutes).subtracting(defaultRoutes)
        let new = Set(defaultRoutes).subtracting(old.defaultRoutes)
        return old.defaultRoutes.filter(gone.contains).map { change(.routeRemoved, $0, in: old) }
            + defaultRoutes.filter(new.contains).map { change(.routeAdded, $0, in: self) }
    }

    private func lookupChanges(since old: NetworkSnapshot) -> [NetworkChange] {
        var changes: [NetworkChange] = []
        if internetAddresses != old.internetAddresses {
            changes.append(.init(code: .lookupChanged, detail: "other addresses stand for the Internet"))
        }
        let gone = old.lookups.keys.filter { lookups[$0] == nil }
        let changed = lookups.keys.filter { lookups[$0] != old.lookups[$0] } + gone
        changes += changed.sorted { $0.description < $1.description }.map { address in
            let interface = lookups[address]?.route?.interfaceIndex
            return NetworkChange(
                code: .lookupChanged,
                interfaceIndex: interface,
                interfaceName: interface.map(interfaceName),
                family: address.family,
                detail: "\(address): \(lookups[address].map { $0.describe(in: self) } ?? "no longer looked up")"
            )
        }
        return changes
    }

    private func underlayChanges(since old: NetworkSnapshot) -> [NetworkChange] {
        Set(underlays.keys).union(old.underlays.keys).sorted().filter { underlays[$0] != old.underlays[$0] }.map {
            tunnel in
            let name = interfaceName(tunnel)
            // The underlay of a tunnel is looked up once a route leads into it: the route changed, not the underlay.
            let isSameUse = hasRoute(into: tunnel) == old.hasRoute(into: tunnel)
            let below = underlays[tunnel].map { $0.interfaceIndex.map(interfaceName) ?? "nothing" }
            let detail =
                isSameUse
                ? below.map { "carried by \($0)" } ?? "the interface that carries it is no longer known"
                : below.map { "\(name): carried by \($0)" } ?? "\(name): no longer looked up"
            return NetworkChange(
                code: isSameUse ? .underlayChanged : .lookupChanged,
                interfaceIndex: tunnel,
                interfaceName: name,
                detail: detail
            )
        }
    }

    /// Returns whether a looked up address or a default route leads into an interface.
    private func hasRoute(into interface: UInt32) -> Bool {
        func leads(_ route: Route?) -> Bool { route?.nextHops.contains { $0.interfaceIndex == interface } ?? false }
        return defaultRoutes.contains(where: leads)
            || lookups.values.contains { $0.route?.interfaceIndex == interface || leads($0.matched) }
    }
}

extension Link {
    fileprivate func change(_ code: NetworkChange.Code, _ detail: String) -> NetworkChange {
        NetworkChange(code: code, interfaceIndex: index, interfaceName: name, detail: "\(name): \(detail)")
    }

    /// Returns the changes of one interface; empty when it is unchanged.
    fileprivate func changes(since old: Link) -> [NetworkChange] {
        guard self != old else { return [] }
        var changes: [NetworkChange] = []
        if name != old.name { changes.append(change(.linkRenamed, "was \(old.name)")) }
        // The kernel keeps the routes of a link without carrier, and removes them when it is set down.
        let isSetDown = old.flags.contains(.up) && !flags.contains(.up)
        if isUsable != old.isUsable || isSetDown {
            changes.append(change(isUsable ? .linkUp : .linkDown, stateDescription))
        }
        if kind != old.kind { changes.append(change(.kindChanged, "\(old.kind.rawValue) → \(kind.rawValue)")) }
        if changes.isEmpty {
            let hasOtherNames = alternativeNames != old.alternativeNames
            changes.append(change(.linkChanged, hasOtherNames ? "other alternative names" : stateDescription))
        }
        return changes
    }
}
