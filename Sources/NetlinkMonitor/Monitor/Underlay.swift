/// The interface below a tunnel, which may be another tunnel, and its evidence.
public struct Underlay: Sendable, Hashable, Codable {
    /// The evidence for the underlay of a tunnel.
    public enum Evidence: String, Sendable, Hashable, CaseIterable, Codable {
        /// The kernel's route to the tunnel's remote.
        case remoteRoute = "remote_route"
        /// The device on which the tunnel was created (`IFLA_LINK`), or to which its multicast group is bound.
        case lowerDevice = "lower_device"
        /// The Ethernet interface of the PPPoE session (`/proc/net/pppoe`).
        case pppoe
        /// No interface could send a packet, although one could be an uplink.
        case noCarrier = "no_carrier"
        /// A guess: the only possible underlay, with a rule that exempts packets with a mark, as wg-quick sets it up.
        case markExemption = "mark_exemption"
        /// A guess: the only possible underlay.
        case nextDefaultRoute = "next_default_route"

        /// `true` if there is currently no other possibility.
        ///
        /// A guess lends its medium, and never makes a path unusable.
        public var isCertain: Bool { self != .markExemption && self != .nextDefaultRoute }
    }

    /// The interface; `nil` if the tunnel's own packets currently have no route.
    public let interfaceIndex: UInt32?
    /// The evidence.
    public let evidence: Evidence
    /// The kernel's answer for the remote; that of a tunnel with a fixed local address, in IPv6 alone, names it as its
    /// source.
    public let lookup: RouteLookup?

    /// Creates an underlay.
    public init(interfaceIndex: UInt32?, evidence: Evidence, lookup: RouteLookup? = nil) {
        self.interfaceIndex = interfaceIndex
        self.evidence = evidence
        self.lookup = lookup
    }
}

/// Determines the underlay of a tunnel by the evidence that is available without privileges.
///
/// The certain evidence is the kernel's route to a known remote, looked up as the tunnel does it; the device on which
/// the tunnel was created; and the interface of the PPPoE session. Without any of these (WireGuard, a program's
/// tunnel), the possible underlays are counted: a single uplink is a guess, and none at all is certain again if there
/// is an interface that could be one.
struct UnderlayResolver {
    /// The maximum number of tunnels whose underlays are determined: each may cost a lookup at every change.
    private static let maximumTunnels = 16

    /// The snapshot, without underlays.
    let snapshot: NetworkSnapshot

    /// Returns the underlay of each tunnel that a lookup or a default route uses, and of each tunnel below it; those of
    /// the routes to the Internet first, and then those of the other lookups.
    func underlays(_ kernel: inout some KernelQueries) throws(NetlinkError) -> [UInt32: Underlay] {
        var found: [UInt32: Underlay] = [:]
        guard snapshot.links.values.contains(where: { $0.kind == .tunnel || $0.kind == .ppp }) else { return found }
        let internet = AddressFamily.allCases.compactMap(snapshot.internetLookup)
        // The last one is the next.
        var waiting = [
            uplinkInterfaces, Set(snapshot.lookups.values.flatMap(\.interfaces)), Set(internet.flatMap(\.interfaces)),
        ].flatMap { $0.sorted() }
        while let index = waiting.popLast(), found.count < Self.maximumTunnels {
            guard found[index] == nil, let tunnel = snapshot.links[index],
                let underlay = try underlay(of: tunnel, &kernel)
            else { continue }
            found[index] = underlay
            if let below = underlay.interfaceIndex { waiting.append(below) }
        }
        return found
    }

    /// The interfaces of uplinks, used or standby.
    private var uplinkInterfaces: Set<UInt32> {
        Set(snapshot.uplinkRoutes.lazy.flatMap(\.nextHops).compactMap(\.interfaceIndex))
    }

    private func underlay(of tunnel: Link, _ kernel: inout some KernelQueries) throws(NetlinkError) -> Underlay? {
        switch tunnel.kind {
        case .ppp: return underlay(ofSession: kernel.sessionInterfaces())
        case .tunnel: break
        default: return nil
        }
        // Nothing in this namespace is evidence about packets that leave in another one.
        if tunnel.hasForeignUnderlay { return nil }
        if let remote = tunnel.tunnelRemote { return try underlay(of: tunnel, toward: remote, &kernel) }
        if !tunnel.followsAssociation, let index = tunnel.lowerIndex ?? tunnel.tunnelDeviceIndex,
            let lower = snapshot.links[index], !lower.leadsNowhere
        {
            return Underlay(interfaceIndex: index, evidence: .lowerDevice)
        }
        return guess(tunnel)
    }

    private func underlay(
        of tunnel: Link,
        toward remote: IPAddress,
        _ kernel: inout some KernelQueries
    ) throws(NetlinkError) -> Underlay {
        let local = tunnel.tunnelLocal
        if let local, try !hasLocal(local, &kernel) { return Underlay(interfaceIndex: nil, evidence: .remoteRoute) }
        var question = LookupQuestion(
            destination: remote,
            mark: tunnel.tunnelMark ?? 0,
            source: local,
            interface: tunnel.tunnelDeviceIndex
                ?? (tunnel.followsAssociation ? snapshot.routingDomain(of: tunnel) : 0),
            transport: tunnel.sendsDatagrams ? .udp : nil,
            port: tunnel.tunnelPort
        )
        var answer = try kernel.lookups([question]).first
        // For datagrams the kernel selects a source even without a route, and looks up again with it, as in connect(2).
        if answer?.route == nil, tunnel.sendsDatagrams, remote.family == .ipv6, question.source == nil,
            case .address(let source) = kernel.connectedSource(to: remote, over: question.interface)
        {
            question.source = source
            answer = try kernel.lookups([question]).first
        }
        let egress = answer?.route?.interfaceIndex
        return Underlay(
            interfaceIndex: egress == tunnel.index ? nil : egress,
            evidence: .remoteRoute,
            lookup: question.source == nil ? answer : local.flatMap { answer?.naming($0) }
        )
    }

    /// Returns whether the machine has the fixed local address of a tunnel.
    ///
    /// In IPv4 the kernel rejects any other address in the lookup of the remote, as in that of the tunnel. In IPv6 an
    /// ip6tnl or ip6gre drops its packets then (`ip6_tnl_xmit_ctl`), and a VXLAN sends packets that no answer can reach.
    /// An address of no interface may belong to a local route, which the kernel's own answer shows.
    private func hasLocal(_ local: IPAddress, _ kernel: inout some KernelQueries) throws(NetlinkError) -> Bool {
        if local.family == .ipv4 || snapshot.addresses.contains(where: { $0.address == local }) { return true }
        return try kernel.deliversLocally(local) ?? true
    }

    /// Returns the underlay of the PPPoE sessions: certain if every link has a session, all over one interface.
    ///
    /// The kernel lists the interface of each session, but not the session of each link.
    private func underlay(ofSession names: [String]) -> Underlay? {
        guard let name = names.first, names.allSatisfy({ $0 == name }),
            names.count == snapshot.links.values.count(where: { $0.kind == .ppp }),
            let link = snapshot.link(named: name)
        else { return nil }
        return Underlay(interfaceIndex: link.index, evidence: .pppoe)
    }

    /// Returns the underlay of a program's tunnel: the only possible uplink, or none.
    ///
    /// Without an interface that could be an uplink, a program's packets leave in another namespace or over a device
    /// that is not a network interface: a bridge of containers, or a veth, is no evidence that they cannot. A kernel
    /// tunnel of another namespace is an uplink like any other.
    private func guess(_ tunnel: Link) -> Underlay? {
        let others = snapshot.links.values.filter { link in
            (link.kind != .tunnel || link.hasForeignUnderlay) && link.driverKind != "vrf" && !link.leadsNowhere
        }
        let routed = uplinkInterfaces
        let sources = SourceAddresses(snapshot, uplinkRoutes: snapshot.uplinkRoutes)
        let carriers = others.filter { link in
            AddressFamily.allCases.contains { sources.exist($0, for: link) } && snapshot.canPassPackets(link)
        }
        let mayBeUplink = others.contains { $0.isMedium || routed.contains($0.index) }
        guard mayBeUplink || isStranded(tunnel) else { return nil }
        guard !carriers.isEmpty else { return Underlay(interfaceIndex: nil, evidence: .noCarrier) }
        let uplinks = carriers.filter { routed.contains($0.index) }
        let candidates = uplinks.isEmpty ? carriers : uplinks
        guard candidates.count == 1, let only = candidates.first else { return nil }
        guard isExempted(tunnel) else { return Underlay(interfaceIndex: only.index, evidence: .nextDefaultRoute) }
        return isPreferred(only) ? Underlay(interfaceIndex: only.index, evidence: .markExemption) : nil
    }

    /// Returns whether no interface passes packets but the tunnel itself, a WireGuard interface: the kernel sends its packets
    /// from this namespace.
    private func isStranded(_ tunnel: Link) -> Bool {
        tunnel.driverKind == "wireguard"
            && !snapshot.links.values.contains { link in
                link.index != tunnel.index && !link.leadsNowhere && snapshot.canPassPackets(link)
            }
    }

    /// Returns whether the main table, which packets with the mark use, prefers an uplink in each family with a default
    /// route.
    ///
    /// A link without carrier keeps its default route, which the tunnel's packets use while it is preferred.
    private func isPreferred(_ uplink: Link) -> Bool {
        let routes = snapshot.defaultRoutes.filter { route in
            route.table == Route.mainTable && route.type == .unicast
                && !route.nextHops.contains { $0.interfaceIndex.map { snapshot.links[$0]?.kind } == .tunnel }
        }
        return AddressFamily.allCases.allSatisfy { family in
            let own = routes.filter { $0.family == family }
            guard let metric = own.map(\.metric).min() else { return true }
            return own.contains { route in
                route.metric == metric && route.nextHops.contains { $0.interfaceIndex == uplink.index }
            }
        }
    }

    /// Returns whether a rule for all packets without a mark leads to a table with a default route through the tunnel.
    private func isExempted(_ tunnel: Link) -> Bool {
        let tables = snapshot.rules.lazy.filter { $0.isInverted && ($0.mark ?? 0) != 0 }.map(\.table)
        return snapshot.defaultRoutes.contains { route in
            tables.contains(route.table) && route.nextHops.contains { $0.interfaceIndex == tunnel.index }
        }
    }

    /// Returns the addresses of tunnels whose routes must be watched, besides the looked-up addresses: the remotes, and
    /// the fixed local addresses, which a local route may give to the machine.
    static func watchedAddresses(_ view: KernelView) -> Set<IPAddress> {
        Set(view.links.values.flatMap { [$0.tunnelRemote, $0.tunnelLocal].compactMap(\.self) })
    }
}

extension Link {
    /// `true` if the tunnel's own packets are UDP.
    ///
    /// Other tunnels use protocols that a route lookup cannot specify.
    fileprivate var sendsDatagrams: Bool { driverKind == "vxlan" || driverKind == "geneve" }

    /// `true` for an IPsec interface, whose packets follow the route to the peer of their security association.
    ///
    /// Since Linux 4.8 an interface is part of that lookup only for its VRF.
    fileprivate var followsAssociation: Bool { ["xfrm", "vti", "vti6"].contains(driverKind) }

    /// `true` for an interface with a medium, which may be an uplink even without a route.
    fileprivate var isMedium: Bool {
        switch kind {
        case .wifi, .wwan, .wired, .bluetooth, .ppp: true
        case .tunnel, .bridge, .virtual, .loopback, .unknown: false
        }
    }
}

extension RouteLookup {
    /// Returns the answer with a tunnel's fixed local address as its source, which the kernel does not repeat; `nil` if
    /// the address needs no check.
    ///
    /// In IPv4 the lookup has checked it, and a link-local one is valid on the link. The other next hops are omitted,
    /// because the sources of their interfaces do not count.
    fileprivate func naming(_ local: IPAddress) -> RouteLookup? {
        guard let route, local.family == .ipv6, !local.isLinkLocal else { return nil }
        let named = ResolvedRoute(
            interfaceIndex: route.interfaceIndex,
            gateway: route.gateway,
            source: local,
            table: route.table,
            type: route.type
        )
        return RouteLookup(destination: destination, outcome: .route(named))
    }

    /// All possible egress interfaces.
    fileprivate var interfaces: [UInt32] {
        let legs = matched?.nextHops.map(\.interfaceIndex) ?? []
        return ([route?.interfaceIndex, unconnected?.resolvedRoute?.interfaceIndex] + legs).compactMap { $0 }
    }
}
