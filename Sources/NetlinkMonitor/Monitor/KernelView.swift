/// The kernel's known tables, updated message by message.
///
/// Pure: it reports which data must be read again, and the caller reads it.
struct KernelView: Sendable, Equatable {
    /// The data that a message made stale.
    struct Effects: Sendable, Equatable {
        /// `true` if something in the snapshot, or with an effect on lookups, changed.
        var isRelevant = false
        /// `true` if a link or an address changed: an edge that every consumer must see.
        var isEdge = false
        /// `true` if links must be classified again.
        var classifies = false
        /// `true` if the policy rules must be read again, and then the default routes of every table in them.
        var staleRules = false
        /// The families whose default routes must be read again.
        var staleRoutes: Set<AddressFamily> = []
        /// The interfaces whose kept IPv6 addresses may have changed silently.
        var staleAddresses: Set<UInt32> = []
        /// Possible causes of changed lookups that no snapshot shows: the first of each code.
        var hints: [NetworkChange] = []

        mutating func formUnion(_ other: Effects) {
            isRelevant = isRelevant || other.isRelevant
            isEdge = isEdge || other.isEdge
            classifies = classifies || other.classifies
            staleRules = staleRules || other.staleRules
            staleRoutes.formUnion(other.staleRoutes)
            staleAddresses.formUnion(other.staleAddresses)
            hints += other.hints.filter { hint in !hints.contains { $0.code == hint.code } }
        }

        /// Returns whether a message changes at most the state of a link, and no table.
        func isLinkStateAlone(_ message: NetlinkMessage) -> Bool {
            guard isRelevant else { return true }
            guard case .link = message else { return false }
            return !classifies && staleRoutes.isEmpty
        }

        /// All effects.
        static let all = Effects(
            isRelevant: true,
            isEdge: true,
            classifies: true,
            staleRules: true,
            staleRoutes: Set(AddressFamily.allCases)
        )
    }

    var links = LinkTable()
    /// The addresses, ordered by their keys.
    private(set) var addresses: [InterfaceAddress] = []
    var rules: [RoutingRule] = []
    var defaultRoutes: [AddressFamily: [Route]] = [:]

    /// Creates a view from dumps.
    init(links: [LinkMessage] = [], addresses: [InterfaceAddress] = []) {
        self.links = LinkTable(links.lazy.map(\.link))
        for address in addresses { _ = apply(address) }
    }

    /// Returns the position of an address, or its insertion point.
    private func position(of key: InterfaceAddress.Key) -> Int {
        var range = addresses.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = addresses[middle].key < key ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private func isPresent(_ key: InterfaceAddress.Key, at position: Int) -> Bool {
        addresses.indices.contains(position) && addresses[position].key == key
    }

    /// Returns whether a family has an address that could reach the Internet.
    func hasSource(for family: AddressFamily) -> Bool {
        addresses.contains { $0.address.family == family && !$0.address.isLinkLocal && !$0.address.isLoopback }
    }

    /// Returns the tables that may contain a default route in use: those of the rules and of the VRFs.
    func tables(_ family: AddressFamily) -> [UInt32] {
        let fromRules = rules.lazy.filter { $0.family == family }.map(\.table)
        let tables = Set(fromRules).union(links.values.compactMap(\.vrfTable)).union([Route.mainTable])
        return tables.subtracting([0, Route.localTable]).sorted()
    }

    /// Updates the view with one message.
    mutating func apply(_ message: NetlinkMessage) -> Effects {
        switch message {
        case .link(let message): apply(message)
        case .linkRemoved(let index): removeLink(index)
        case .address(let address): apply(address)
        case .addressRemoved(let address): remove(address)
        case .route(let route, _), .routeRemoved(let route): hint(at: route)
        case .rule, .ruleRemoved:
            Effects(isRelevant: true, staleRules: true, staleRoutes: Set(AddressFamily.allCases))
        // The message does not name the routes that refer to the nexthop object; they change or vanish with it, in IPv4
        // silently. A new object is in no route yet, and that of a default route may be a group with the object in it.
        case .nextHopObject:
            Effects(
                isRelevant: true,
                staleRoutes: Set(
                    AddressFamily.allCases.filter { defaultRoutes[$0]?.contains { $0.nextHopObject != nil } ?? false }
                )
            )
        // The flows of the bucket use another leg; the routes are the same.
        case .nextHopBucket: Effects(isRelevant: true)
        case .setting(let family, let name, let value, let index):
            Effects(isRelevant: true, hints: [hint(family, name, value, index)])
        // Only the routers among which the kernel selects are relevant, and the monitor knows those.
        case .neighbour, .statistics, .done, .reply, .overrun, .irrelevant: Effects()
        }
    }

    private mutating func apply(_ message: LinkMessage) -> Effects {
        let index = message.link.index
        guard var link = links[index] else {
            // A short message about an unknown interface: its complete one follows.
            guard message.isComplete else { return Effects() }
            links[index] = message.link
            // A VRF adds a table, which may have had routes of both families before.
            let stale: Set<AddressFamily> = message.link.vrfTable == nil ? [.ipv4] : Set(AddressFamily.allCases)
            return Effects(isRelevant: true, isEdge: true, classifies: true, staleRoutes: stale)
        }
        let old = link
        if message.isComplete {
            link = message.link
            link.classification = old.classification
        } else {
            link.flags = message.link.flags
            if message.hasName { link.name = message.link.name }
        }
        guard link != old else { return Effects() }
        links[index] = link
        var effects = Effects(isRelevant: true, isEdge: true)
        effects.classifies = !link.hasSameIdentity(as: old)
        // The kernel drops IPv4 routes silently with the link, and with a move into or out of a VRF; IPv6 routes
        // with net.ipv6.route.skip_notify_on_dev_down; and nexthop objects with the carrier, with the routes of both
        // families.
        if old.flags.contains(.up) && !link.flags.contains(.up) {
            effects.staleRoutes = [.ipv4]
            if hasDefaultRoute(.ipv6, over: index) { effects.staleRoutes.insert(.ipv6) }
        } else if old.flags.contains(.lowerUp) && !link.flags.contains(.lowerUp) {
            effects.staleRoutes = Set(
                AddressFamily.allCases.filter { hasDefaultRoute($0, over: index, byObject: true) }
            )
        }
        if old.flags.contains(.up) != link.flags.contains(.up),
            addresses.contains(where: { $0.interfaceIndex == index && $0.mayBeKept })
        {
            effects.staleAddresses = [index]
        }
        if old.masterIndex != link.masterIndex { effects.staleRoutes.insert(.ipv4) }
        if old.vrfTable != link.vrfTable { effects.staleRoutes = Set(AddressFamily.allCases) }
        return effects
    }

    private mutating func removeLink(_ index: UInt32) -> Effects {
        guard links[index] != nil else { return Effects() }
        links[index] = nil
        addresses.removeAll { $0.interfaceIndex == index }
        return Effects(isRelevant: true, isEdge: true, classifies: true, staleRoutes: Set(AddressFamily.allCases))
    }

    private mutating func apply(_ address: InterfaceAddress) -> Effects {
        let position = position(of: address.key)
        if isPresent(address.key, at: position) {
            // The end of duplicate address detection, if the flags were not read again while it lasted.
            guard addresses[position] != address else { return Effects(isRelevant: address.mayBeKept) }
            addresses[position] = address
        } else {
            addresses.insert(address, at: position)
        }
        return Effects(isRelevant: true, isEdge: true)
    }

    /// Updates the flags of known addresses that the kernel may have kept, and returns whether any has changed.
    ///
    /// An address that was added or removed has a message, which is an edge.
    mutating func updateFlags(from dump: [InterfaceAddress], on interfaces: Set<UInt32>) -> Bool {
        var hasChanged = false
        for address in dump where address.mayBeKept && interfaces.contains(address.interfaceIndex) {
            let position = position(of: address.key)
            guard isPresent(address.key, at: position), addresses[position].flags != address.flags else { continue }
            addresses[position] = address
            hasChanged = true
        }
        return hasChanged
    }

    private mutating func remove(_ address: InterfaceAddress) -> Effects {
        let position = position(of: address.key)
        guard isPresent(address.key, at: position) else { return Effects() }
        addresses.remove(at: position)
        // With the last address of a subnet its IPv4 routes are removed silently; IPv6 routes may be with the last
        // address of an interface.
        let family = address.address.family
        let isRemovedSilently = family == .ipv4 || hasDefaultRoute(family, over: address.interfaceIndex)
        return Effects(isRelevant: true, isEdge: true, staleRoutes: isRemovedSilently ? [family] : [])
    }

    /// Returns whether a known default route uses an interface; with `byObject`: through a nexthop object.
    private func hasDefaultRoute(_ family: AddressFamily, over index: UInt32, byObject: Bool = false) -> Bool {
        (defaultRoutes[family] ?? []).contains { route in
            if byObject, route.nextHopObject == nil { return false }
            return route.hasUnresolvedNextHops || route.nextHops.contains { $0.interfaceIndex == index }
        }
    }

    /// Returns whether the kernel is removing a route because the link of each next hop is down.
    ///
    /// The link's message precedes the removal. In a table of 600,000 IPv4 routes that takes 250 ms, longer than lookups
    /// are repeated, and the default route is the last to go. The kernel accepts no new route over such a link, except
    /// one that rejects packets.
    func isBeingRemoved(_ route: Route) -> Bool {
        guard route.type == .unicast, !route.nextHops.isEmpty else { return false }
        return route.nextHops.allSatisfy { hop in
            guard let link = hop.interfaceIndex.flatMap({ links[$0] }) else { return false }
            return !link.flags.contains(.up)
        }
    }

    private func hint(_ family: AddressFamily, _ name: String, _ value: Int32, _ index: UInt32?) -> NetworkChange {
        let link = index.flatMap { links[$0] }
        let place = index == nil ? "all" : link?.name ?? "?"
        return NetworkChange(
            code: .sysctlChanged,
            interfaceIndex: link?.index,
            interfaceName: link?.name,
            family: family,
            detail: "net.\(family.rawValue).conf.\(place).\(name) = \(value)"
        )
    }

    /// Returns the effects of a route message, which is a hint, not the truth: replaced, appended and silently removed
    /// routes look alike in it.
    private func hint(at route: Route) -> Effects {
        Effects(isRelevant: true, staleRoutes: route.destination.isDefault ? [route.family] : [])
    }
}

extension InterfaceAddress {
    /// `true` if the kernel may keep the address while its link is down (`net.ipv6.conf.*.keep_addr_on_down`).
    ///
    /// It marks the address as tentative without a message when the link goes down, and announces it after duplicate
    /// address detection, as it was before.
    fileprivate var mayBeKept: Bool {
        address.family == .ipv6 && flags.contains(.permanent) && !address.isLinkLocal
    }
}

extension Link {
    /// Returns whether two links have the same evidence for their kind, and the same remote whose routes are watched.
    fileprivate func hasSameIdentity(as other: Link) -> Bool {
        name == other.name && alternativeNames == other.alternativeNames
            && driverKind == other.driverKind && hardwareType == other.hardwareType
            && lowerIndex == other.lowerIndex && masterIndex == other.masterIndex
            && activeMemberIndex == other.activeMemberIndex && parentDevice == other.parentDevice
            && tunnelRemote == other.tunnelRemote && tunnelLocal == other.tunnelLocal
            && tunnelDeviceIndex == other.tunnelDeviceIndex && tunnelMark == other.tunnelMark
            && flags.contains(.loopback) == other.flags.contains(.loopback)
    }
}
