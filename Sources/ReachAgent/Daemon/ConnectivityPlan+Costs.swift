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
        let lookups = points.compactMap { point in
            lookup(of: point, in: snapshot).map { (point: point, path: Path($0, in: snapshot)) }
        }
        guard !lookups.isEmpty else { return [:] }
        let defaultPath = ReachabilityState(snapshot).path
        return lookups.reduce(into: [:]) { costs, lookup in
            let egress = egress(of: lookup.path, defaultPath: defaultPath, snapshot: snapshot)
            costs[lookup.point] = egress.map { cost(of: $0) }
        }
    }

    /// Returns the cost of a point's checks, by the rules of its schedule; nil without a path.
    func cost(of point: ProbePoint, in snapshot: NetworkSnapshot) -> LinkCost? {
        lookup(of: point, in: snapshot) == nil
            ? costs(of: [point.vantage], in: snapshot)[point.vantage]
            : costsOfLookups([point], in: snapshot)[point]
    }

    /// Returns the cost of the default path, and whether it is metered: that of the dearer one if the families have
    /// different ones.
    func costOfDefaultPath(in snapshot: NetworkSnapshot) -> (cost: LinkCost, isMetered: Bool) {
        let cost = costs(of: [.default], in: snapshot)[.default] ?? .free
        return (cost, cost.isMetered)
    }

    /// Returns the lookup of a point's address; nil if it has none, or the point is bound to an interface.
    private func lookup(of point: ProbePoint, in snapshot: NetworkSnapshot) -> RouteLookup? {
        guard point.vantage.interface == nil, let address = addresses[point.probe] else { return nil }
        return snapshot.lookups[address]
    }

    private func egresses(of vantage: Vantage, state: ReachabilityState, snapshot: NetworkSnapshot) -> [Egress] {
        if let name = vantage.interface {
            let link = snapshot.link(named: name)
            return link.map { [Egress(link: $0, carrier: snapshot.carrier(of: $0, defaultPath: state.path))] } ?? []
        }
        return state.paths(in: vantage.families).compactMap { path in
            egress(of: path, defaultPath: state.path, snapshot: snapshot)
        }
    }

    private func egress(of path: Path, defaultPath: Path, snapshot: NetworkSnapshot) -> Egress? {
        snapshot.link(of: path).map { Egress(link: $0, carrier: snapshot.carrier(of: $0, defaultPath: defaultPath)) }
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
    /// Returns the egress interface of a path.
    func link(of path: Path) -> Link? { path.interface.flatMap { links[$0.index] } }

    /// Returns the link that carries the packets of an interface: the underlay of a tunnel, else the interface itself.
    ///
    /// The underlay of a tunnel may be unknown: it is determined only if a lookup or a default route uses the tunnel, and
    /// that of a program's tunnel only if there is a single uplink. The tunnel's own packets then count as those of the
    /// default path, which they take unless its server has a route of its own.
    func carrier(of link: Link, defaultPath: Path) -> Link {
        if let underlay = underlay(of: link) { return underlay.link ?? link }
        guard link.kind == .tunnel, let egress = self.link(of: defaultPath), egress.index != link.index else {
            return link
        }
        return underlay(of: egress)?.link ?? egress
    }
}
