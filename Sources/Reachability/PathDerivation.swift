public import NetlinkMonitor

extension Path {
    /// Derives a path from the kernel's answer to a lookup and the rest of the snapshot.
    ///
    /// The answer alone is not enough: after a carrier loss the kernel still answers with the dead interface, and a
    /// route may exist before an address is usable. So the path is usable when the route's interface can pass packets
    /// (`NetworkSnapshot.canPassPackets(_:)`), the source address is of a scope that reaches the destination, and, for
    /// a tunnel with a certain underlay, the underlay can pass packets too. Of several next hops one usable leg is
    /// enough, whichever of them the kernel's answer names.
    public init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        self = PathDerivation(lookup, in: snapshot).path
    }
}

/// The path to a destination, and the interfaces that carry its packets.
struct PathDerivation {
    let path: Path
    /// The interfaces through which packets leave: those of every usable leg, and the interfaces that carry them.
    let carriers: [UInt32]

    /// Derives the path to the Internet in a family.
    init(_ family: AddressFamily, in snapshot: NetworkSnapshot) {
        guard let lookup = snapshot.internetLookup(family) else {
            self.init(path: Path(via: .none, reason: .noRoute), carriers: [])
            return
        }
        self.init(lookup, in: snapshot)
    }

    private init(path: Path, carriers: [UInt32]) {
        self.path = path
        self.carriers = carriers
    }

    init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        let table = lookup.matched?.table ?? lookup.route?.table
        let unconnected = lookup.unconnected.map { outcome in
            switch outcome {
            case .refused(let refusal): PathBranch(interface: nil, reason: ReasonCode(refusal))
            case .route(let route): PathLeg(route, of: lookup, in: snapshot).branch
            }
        }
        let legs = lookup.legs(in: snapshot).map { PathLeg($0, of: lookup, in: snapshot) }
        let answer = lookup.route.map { PathLeg($0, of: lookup, in: snapshot) }
        let candidates = (answer.map { [$0] } ?? []) + legs
        guard let used = candidates.first(where: \.isUsable) ?? answer else {
            carriers = []
            path = Path(
                via: .none,
                prefix: lookup.matched?.destination,
                table: table,
                metric: lookup.matched?.metric,
                unconnected: unconnected,
                reason: lookup.refusal.map(ReasonCode.init)
            )
            return
        }
        let interface = used.link.map(PathInterface.init)
        let kind = used.underlay?.interface?.kind ?? interface?.kind ?? .unknown
        carriers = candidates.filter(\.isUsable)
            .flatMap { [$0.route.interfaceIndex, $0.underlay?.interface?.index] }.compactMap { $0 }
        path = Path(
            via: used.isUsable ? Via(kind: kind) : .none,
            interface: interface,
            gateway: used.route.gateway,
            source: used.route.source,
            prefix: lookup.matched?.destination,
            table: table,
            metric: lookup.matched?.metric,
            underlay: used.underlay,
            deadLegs: legs.filter { !$0.isUsable }.map(\.branch),
            unconnected: unconnected,
            reason: used.reason
        )
    }
}

extension RouteLookup {
    fileprivate var refusal: Refusal? {
        guard case .refused(let refusal) = outcome else { return nil }
        return refusal
    }

    /// Returns each leg of a multipath route, with the source that its interface offers, or else the answer's if its
    /// owner lends it, including the leg of the answer itself.
    func legs(in snapshot: NetworkSnapshot) -> [ResolvedRoute] {
        guard otherLegs.isEmpty else { return (route.map { [$0] } ?? []) + otherLegs }
        guard let route, let hops = matched?.nextHops, hops.count > 1 else { return [] }
        return hops.compactMap { hop in
            guard let index = hop.interfaceIndex else { return nil }
            if index == route.interfaceIndex, hop.gateway == route.gateway { return route }
            return ResolvedRoute(
                interfaceIndex: index,
                gateway: hop.gateway,
                source: matched?.preferredSource ?? snapshot.addresses.source(toward: hop, destination.family)
                    ?? snapshot.lentSource(of: route),
                table: route.table,
                type: route.type
            )
        }
    }
}

extension ReasonCode {
    init(_ refusal: RouteLookup.Refusal) {
        switch refusal {
        case .noRoute: self = .noRoute
        case .unreachable: self = .routeUnreachable
        case .blackhole: self = .routeBlackhole
        case .prohibited: self = .routeProhibited
        case .failed: self = .lookupFailed
        }
    }
}
