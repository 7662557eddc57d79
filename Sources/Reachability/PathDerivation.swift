public import NetlinkMonitor

extension Path {
    /// Derives a path from the kernel's answer to a lookup, together with what the rest of the snapshot knows.
    ///
    /// The answer alone is not enough: after a carrier loss the kernel still answers with the dead interface, and a
    /// route may be there before an address is usable. So the path is usable when the route's interface can pass packets
    /// (`Link.isUsable`), the source address is of a kind that reaches the destination, and, for a
    /// tunnel whose underlay is known, the underlay can pass packets too.
    public init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        self.init(via: .none)
        prefix = lookup.matched?.destination
        table = lookup.matched?.table ?? lookup.route?.table
        metric = lookup.matched?.metric
        switch lookup.outcome {
        case .refused(let refusal): reason = ReasonCode(refusal)
        case .route(let route):
            gateway = route.gateway
            source = route.source
            guard let link = snapshot.links[route.interfaceIndex] else {
                // The kernel knows an interface that no message has announced yet; its message is on the way.
                reason = .linkDown
                return
            }
            interface = PathInterface(link)
            underlay = snapshot.underlays[link.index].map { below in
                PathUnderlay(
                    interface: below.interfaceIndex.flatMap { snapshot.links[$0] }.map(PathInterface.init),
                    evidence: below.evidence
                )
            }
            reason =
                Self.obstacle(of: link) ?? Self.obstacle(of: route, to: lookup.destination, in: snapshot)
                ?? underlayObstacle(in: snapshot)
            if reason == nil { via = Via(kind: underlay?.interface?.kind ?? link.kind) }
        }
    }

    /// What keeps an interface from passing packets.
    private static func obstacle(of link: Link) -> ReasonCode? {
        guard !link.isUsable else { return nil }
        let isAssociated = link.flags.contains([.up, .lowerUp]) && link.operationalState == .dormant
        return isAssociated ? .linkDormant : .linkDown
    }

    /// What is wrong with the source address that the kernel would choose.
    private static func obstacle(
        of route: ResolvedRoute,
        to destination: IPAddress,
        in snapshot: NetworkSnapshot
    ) -> ReasonCode? {
        let family = destination.family
        if let source = route.source, !source.isUnspecified {
            // Where an interface has no address the kernel takes another one's, in the end ::1: no answer comes back to it.
            let isLinkOnly = source.isLinkLocal && !destination.isLinkLocal && !destination.isMulticast
            if isLinkOnly || source.isLoopback && !destination.isLoopback {
                return missingAddress(family, on: route.interfaceIndex, in: snapshot)
            }
            let known = snapshot.addresses.filter { $0.address == source }
            guard !known.isEmpty, known.allSatisfy({ !$0.isUsable }) else { return nil }
            return known.contains { $0.flags.contains(.duplicateDetected) } ? .noAddress : .addressTentative
        }
        return missingAddress(family, on: route.interfaceIndex, in: snapshot)
    }

    /// No usable source: because there is none at all, or because it is still being checked.
    private static func missingAddress(
        _ family: AddressFamily,
        on interface: UInt32,
        in snapshot: NetworkSnapshot
    ) -> ReasonCode {
        let isBeingChecked = snapshot.addresses.contains {
            $0.interfaceIndex == interface && $0.address.family == family && !$0.address.isLinkLocal
                && $0.flags.contains(.tentative) && !$0.flags.contains(.duplicateDetected)
        }
        return isBeingChecked ? .addressTentative : .noAddress
    }

    private func underlayObstacle(in snapshot: NetworkSnapshot) -> ReasonCode? {
        guard let underlay else { return nil }
        guard let below = underlay.interface.flatMap({ snapshot.links[$0.index] }) else { return .underlayDown }
        return below.isUsable ? nil : .underlayDown
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
