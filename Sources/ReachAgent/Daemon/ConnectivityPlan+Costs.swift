internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The costs of checks: those of the links that carry their packets.
extension ConnectivityPlan {
    /// A link through which packets leave, and the one below it if it is a tunnel; the same one otherwise.
    private struct Egress {
        let link: Link
        let carrier: Link
    }

    /// Returns the cost of checks from each of these vantages; of those that may use either family, the cost of the
    /// dearer path.
    func costs(of vantages: Set<Vantage>, in snapshot: NetworkSnapshot) -> [Vantage: LinkCost] {
        guard !vantages.isEmpty else { return [:] }
        let state = ReachabilityState(snapshot)
        return vantages.reduce(into: [:]) { costs, vantage in
            costs[vantage] = dearest(of: egresses(of: vantage, state: state, snapshot: snapshot))
        }
    }

    /// Returns the cost of the points whose target is an address with a lookup of its own, which need not lead over the
    /// default path; a check that is bound to an interface leaves through that.
    func costsOfLookups(_ points: [ProbePoint], in snapshot: NetworkSnapshot) -> [ProbePoint: LinkCost] {
        points.reduce(into: [:]) { costs, point in
            guard point.vantage.interface == nil, let address = addresses[point.probe],
                let lookup = snapshot.lookups[address]
            else { return }
            costs[point] = egress(of: Path(lookup, in: snapshot), in: snapshot).map { cost(of: $0) }
        }
    }

    /// Returns the cost of the default path, and whether it is metered: that of the dearer one if the families have
    /// different ones.
    func costOfDefaultPath(in snapshot: NetworkSnapshot) -> (cost: LinkCost, isMetered: Bool) {
        let cost = costs(of: [.default], in: snapshot)[.default] ?? .free
        return (cost, cost.isMetered)
    }

    private func egresses(of vantage: Vantage, state: ReachabilityState, snapshot: NetworkSnapshot) -> [Egress] {
        if let name = vantage.interface {
            let link = snapshot.link(named: name)
            return link.map { [Egress(link: $0, carrier: snapshot.carrier(of: $0, defaultPath: state.path))] } ?? []
        }
        return state.paths(in: vantage.families).compactMap { egress(of: $0, in: snapshot) }
    }

    private func egress(of path: Path, in snapshot: NetworkSnapshot) -> Egress? {
        guard let carrier = snapshot.carrier(of: path) else { return nil }
        return Egress(link: path.interface.flatMap { snapshot.links[$0.index] } ?? carrier, carrier: carrier)
    }

    private func isMetered(_ egress: Egress) -> Bool {
        isMeteredByKind(egress.carrier) || pattern(of: egress.carrier) != nil || pattern(of: egress.link) != nil
    }

    private func isMeteredByKind(_ link: Link) -> Bool { link.kind == .wwan && settings.metered.includesCellular }

    /// Returns the pattern by which a link is metered.
    private func pattern(of link: Link) -> String? {
        settings.metered.interfaces.first { link.hasName(where: NamePattern($0).matches) }
    }

    /// Returns the account of an egress: the bytes of a tunnel are charged to the interface below it.
    ///
    /// The links that are metered by a pattern have an account apart from their kind's: otherwise the bytes of other links
    /// of the kind, which may be free, would use up their budget. It is the pattern's, because a phone may have another
    /// address, and name, each time that it is attached.
    private func account(of egress: Egress) -> String {
        let carrier = egress.carrier
        if let pattern = pattern(of: carrier) { return pattern }
        let own = isMeteredByKind(carrier) ? nil : pattern(of: egress.link)
        return own ?? carrier.kind.rawValue
    }

    /// Returns the cost of checks that may leave through any of these, in the order of IPv4 and IPv6; nil if there is
    /// none.
    ///
    /// The family is known only once the check has connected: before, the restrictions of each egress apply. If several
    /// are restricted, the account is that of IPv6, which is tried first.
    private func dearest(of egresses: [Egress]) -> LinkCost? {
        let costs = egresses.map { cost(of: $0) }
        var dearest = costs.last(where: \.isMetered) ?? costs.last(where: \.isCellular) ?? costs.first
        dearest?.isCellular = costs.contains(where: \.isCellular)
        return dearest
    }

    /// Returns the cost of an egress.
    private func cost(of egress: Egress) -> LinkCost {
        let isMetered = isMetered(egress)
        return LinkCost(
            account: account(of: egress),
            intervalFactor: isMetered ? settings.metered.intervalFactor : 1,
            bytesPerDay: isMetered ? settings.metered.bytesPerDay : nil,
            isCellular: egress.carrier.kind == .wwan,
            isMetered: isMetered
        )
    }
}

extension ReachabilityState {
    /// Returns the default paths that packets in these families may take: the usable ones, IPv4 first, else the one that
    /// represents them.
    func paths(in families: AddressFamilies) -> [Path] {
        switch families {
        case .any:
            let usable = [ipv4, ipv6].filter(\.via.isReachable)
            return usable.isEmpty ? [path] : usable
        case .ipv4: return [ipv4]
        case .ipv6: return [ipv6]
        }
    }
}

extension NetworkSnapshot {
    /// Returns the link that carries the packets of a path: the underlay of a tunnel, else the egress interface.
    func carrier(of path: Path) -> Link? {
        (path.underlay?.interface ?? path.interface).flatMap { links[$0.index] }
    }

    /// Returns the link that carries the packets of an interface: the underlay of a tunnel, else the interface itself.
    ///
    /// The underlay of a tunnel for some networks only, which no default route uses, is not determined: its own packets
    /// count as those of the default path, which they take unless its server has a route of its own.
    func carrier(of link: Link, defaultPath: Path) -> Link {
        if let underlay = underlay(of: link) { return underlay.link ?? link }
        guard link.kind == .tunnel, defaultPath.interface?.index != link.index else { return link }
        return carrier(of: defaultPath) ?? link
    }
}
