public import NetlinkMonitor

extension Path {
    /// Derives a path from the kernel's answer to a lookup, together with what the rest of the snapshot knows.
    ///
    /// The answer alone is not enough: after a carrier loss the kernel still answers with the dead interface, and a
    /// route may be there before an address is usable. So the path is usable when the route's interface can pass packets
    /// (`NetworkSnapshot.canPassPackets(_:)`), the source address is of a kind that reaches the destination, and, for a
    /// tunnel whose underlay is certain, the underlay can pass packets too. Of several next hops one that is usable is
    /// enough, whichever of them the kernel's answer happens to name.
    public init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        self.init(via: .none)
        prefix = lookup.matched?.destination
        table = lookup.matched?.table ?? lookup.route?.table
        metric = lookup.matched?.metric
        unconnected = lookup.unconnected.map { outcome in
            switch outcome {
            case .refused(let refusal): PathBranch(interface: nil, reason: ReasonCode(refusal))
            case .route(let route): PathLeg(route, of: lookup, in: snapshot).branch
            }
        }
        switch lookup.outcome {
        case .refused(let refusal): reason = ReasonCode(refusal)
        case .route(let route):
            let answer = PathLeg(route, of: lookup, in: snapshot)
            let legs = lookup.legs(in: snapshot).map { PathLeg($0, of: lookup, in: snapshot) }
            let used = answer.reason == nil ? answer : legs.first { $0.reason == nil } ?? answer
            deadLegs = legs.filter { $0.reason != nil }.map(\.branch)
            gateway = used.route.gateway
            source = used.route.source
            interface = used.link.map(PathInterface.init)
            underlay = used.underlay
            reason = used.reason
            if reason == nil { via = Via(kind: underlay?.interface?.kind ?? interface?.kind ?? .unknown) }
        }
    }
}

extension RouteLookup {
    /// Each next hop of a route with several, with the source that its interface offers.
    fileprivate func legs(in snapshot: NetworkSnapshot) -> [ResolvedRoute] {
        guard let route, let hops = matched?.nextHops, hops.count > 1 else { return [] }
        return hops.compactMap { hop in
            guard let index = hop.interfaceIndex else { return nil }
            if index == route.interfaceIndex, hop.gateway == route.gateway { return route }
            let own = snapshot.addresses.filter {
                $0.interfaceIndex == index && $0.address.family == destination.family && $0.reachesBeyondLink
            }
            let near = own.first { address in
                hop.gateway.flatMap { IPPrefix(address: address.address, length: address.prefixLength)?.contains($0) }
                    ?? false
            }
            return ResolvedRoute(
                interfaceIndex: index,
                gateway: hop.gateway,
                source: matched?.preferredSource ?? (near ?? own.first)?.address,
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
