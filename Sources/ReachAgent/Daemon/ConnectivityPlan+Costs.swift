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

    /// Returns the cost of checks from each of these vantages.
    func costs(of vantages: Set<Vantage>, in snapshot: NetworkSnapshot) -> [Vantage: LinkCost] {
        guard !vantages.isEmpty else { return [:] }
        let state = ReachabilityState(snapshot)
        return vantages.reduce(into: [:]) { costs, vantage in
            costs[vantage] = egress(of: vantage, state: state, snapshot: snapshot).map(cost)
        }
    }

    /// Returns the cost of the points whose target is an address with a lookup of its own, which need not lead over the
    /// default path; a check that is bound to an interface leaves through that.
    func costsOfLookups(_ points: [ProbePoint], in snapshot: NetworkSnapshot) -> [ProbePoint: LinkCost] {
        points.reduce(into: [:]) { costs, point in
            guard point.vantage.interface == nil, let address = addresses[point.probe],
                let lookup = snapshot.lookups[address]
            else { return }
            costs[point] = egress(of: Path(lookup, in: snapshot), in: snapshot).map(cost)
        }
    }

    /// Returns the cost of the default path, and whether it is metered.
    func costOfDefaultPath(in snapshot: NetworkSnapshot) -> (cost: LinkCost, isMetered: Bool) {
        let state = ReachabilityState(snapshot)
        guard let egress = egress(of: Vantage(), state: state, snapshot: snapshot) else { return (.free, false) }
        return (cost(of: egress), isMetered(egress))
    }

    private func egress(of vantage: Vantage, state: ReachabilityState, snapshot: NetworkSnapshot) -> Egress? {
        if let name = vantage.interface {
            return snapshot.link(named: name).map { link in
                Egress(link: link, carrier: snapshot.carrier(of: link, defaultPath: state.path))
            }
        }
        let path =
            switch vantage.families {
            case .any: state.path
            case .ipv4: state.ipv4
            case .ipv6: state.ipv6
            }
        return egress(of: path, in: snapshot)
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
