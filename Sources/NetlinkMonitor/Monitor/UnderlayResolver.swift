/// Finds out what carries a tunnel's own packets, as far as that can be told without rights.
///
/// Certain are the route to the far end that the kernel knows, looked up as the tunnel does it; the device that the
/// tunnel was created on; and the interface that PPPoE names. Where there is none of these (WireGuard, the tunnel of a
/// program), what could carry it is counted: a single uplink is a guess, and none at all is certain again.
struct UnderlayResolver {
    /// Tunnels in tunnels beyond this are an accident or an attack.
    private static let mostTunnels = 16

    /// The view, without underlays.
    let snapshot: NetworkSnapshot

    /// What is below each tunnel that a lookup leaves through, and below each tunnel below that.
    func underlays(_ kernel: inout some KernelQueries) throws(NetlinkError) -> [UInt32: Underlay] {
        var found: [UInt32: Underlay] = [:]
        var waiting = Set(snapshot.lookups.values.flatMap(\.interfaces)).sorted()
        while let index = waiting.popLast(), found.count < Self.mostTunnels {
            guard found[index] == nil, let tunnel = snapshot.links[index],
                let underlay = try underlay(of: tunnel, &kernel)
            else { continue }
            found[index] = underlay
            if let below = underlay.interfaceIndex { waiting.append(below) }
        }
        return found
    }

    private func underlay(of tunnel: Link, _ kernel: inout some KernelQueries) throws(NetlinkError) -> Underlay? {
        switch tunnel.kind {
        case .ppp: return underlay(ofSession: kernel.sessionInterfaces())
        case .tunnel: break
        default: return nil
        }
        if let remote = tunnel.tunnelRemote {
            let question = LookupQuestion(
                destination: remote,
                mark: tunnel.tunnelMark ?? 0,
                source: tunnel.tunnelLocal.flatMap { local in
                    snapshot.addresses.contains { $0.address == local } ? local : nil
                },
                interface: tunnel.tunnelDeviceIndex ?? 0
            )
            let answer = try kernel.lookups([question]).first
            let way = answer?.route?.interfaceIndex
            return Underlay(
                interfaceIndex: way == tunnel.index ? nil : way,
                evidence: .remoteRoute,
                lookup: question.source == nil ? answer : nil
            )
        }
        if let lower = tunnel.lowerIndex.flatMap({ snapshot.links[$0] }), !lower.leadsNowhere {
            return Underlay(interfaceIndex: lower.index, evidence: .lowerDevice)
        }
        return guess(tunnel)
    }

    /// PPPoE names the interface of each session and not the session of each link: it is certain where every link has
    /// its session, all over one interface.
    private func underlay(ofSession names: [String]) -> Underlay? {
        guard let name = names.first, names.allSatisfy({ $0 == name }),
            names.count == snapshot.links.values.count(where: { $0.kind == .ppp }),
            let link = snapshot.link(named: name)
        else { return nil }
        return Underlay(interfaceIndex: link.index, evidence: .pppoe)
    }

    /// A tunnel of a program: the only uplink that could carry it, or that nothing could.
    ///
    /// Where there is no other interface at all, the tunnel's packets leave in another namespace or over a device that is
    /// no network interface.
    private func guess(_ tunnel: Link) -> Underlay? {
        let others = snapshot.links.values.filter { link in
            link.kind != .tunnel && link.driverKind != "vrf" && !link.leadsNowhere
        }
        guard !others.isEmpty else { return nil }
        let sources = Set(snapshot.addresses.lazy.filter(\.reachesBeyondLink).map(\.interfaceIndex))
        let carriers = others.filter { sources.contains($0.index) && snapshot.canPassPackets($0) }
        guard !carriers.isEmpty else { return Underlay(interfaceIndex: nil, evidence: .noCarrier) }
        let withDefault = Set(
            snapshot.defaultRoutes.lazy.filter { $0.type == .unicast }.flatMap(\.nextHops).compactMap(\.interfaceIndex)
        )
        let uplinks = carriers.filter { withDefault.contains($0.index) }
        let candidates = uplinks.isEmpty ? carriers : uplinks
        guard candidates.count == 1, let only = candidates.first else { return nil }
        guard isExempted(tunnel) else { return Underlay(interfaceIndex: only.index, evidence: .nextDefaultRoute) }
        return isPreferred(only) ? Underlay(interfaceIndex: only.index, evidence: .markExemption) : nil
    }

    /// Whether the main table, which packets with the mark use, prefers an uplink in each family with a default route.
    ///
    /// A link without carrier keeps its default route, and the tunnel's packets go there while that is preferred.
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

    /// A rule "everything but packets with this mark" leads into a table with a default route through the tunnel.
    private func isExempted(_ tunnel: Link) -> Bool {
        let tables = snapshot.rules.lazy.filter { $0.isInverted && ($0.mark ?? 0) != 0 }.map(\.table)
        return snapshot.defaultRoutes.contains { route in
            tables.contains(route.table) && route.nextHops.contains { $0.interfaceIndex == tunnel.index }
        }
    }

    /// The remotes that routes must be watched for, beside the addresses asked for.
    static func watchedRemotes(_ view: KernelView) -> Set<IPAddress> {
        Set(view.links.values.compactMap(\.tunnelRemote))
    }
}

extension RouteLookup {
    /// Every interface that packets may leave through.
    fileprivate var interfaces: [UInt32] {
        let legs = matched?.nextHops.map(\.interfaceIndex) ?? []
        return ([route?.interfaceIndex, unconnected?.way?.interfaceIndex] + legs).compactMap { $0 }
    }
}
