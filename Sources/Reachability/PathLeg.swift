internal import NetlinkMonitor

/// One way that packets may take to a destination, and what keeps them from it.
struct PathLeg {
    let route: ResolvedRoute
    /// The interface; `nil` for one that the kernel knows and no message has announced yet.
    let link: Link?
    let underlay: PathUnderlay?
    /// Why packets cannot leave; `nil` when they can.
    let reason: ReasonCode?

    init(_ route: ResolvedRoute, of lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        self.route = route
        link = snapshot.links[route.interfaceIndex]
        guard let link else {
            underlay = nil
            reason = .linkDown
            return
        }
        let below = snapshot.underlay(of: link)
        underlay = below?.underlay
        reason =
            snapshot.obstacle(of: link, to: route) ?? snapshot.obstacle(ofSourceOf: route, through: link, lookup)
            ?? (below?.isDown == true ? .underlayDown : nil)
    }

    var branch: PathBranch {
        PathBranch(interface: link.map(PathInterface.init), gateway: route.gateway, reason: reason)
    }
}

// MARK: - The interface

extension NetworkSnapshot {
    /// What keeps an interface from passing packets.
    fileprivate func obstacle(of link: Link, to route: ResolvedRoute) -> ReasonCode? {
        guard canPassPackets(link) else {
            let isAssociated = link.flags.contains([.up, .lowerUp]) && link.operationalState == .dormant
            return isAssociated ? .linkDormant : .linkDown
        }
        // The machine's own addresses are reached through the loopback.
        return link.leadsNowhere && route.type == .unicast ? .leadsNowhere : nil
    }

    /// What carries a tunnel in the end, through whatever tunnels in between, and whether something certain of it is down.
    ///
    /// What a guess names lends its medium, and nothing below it makes the path unusable.
    fileprivate func underlay(of tunnel: Link) -> (underlay: PathUnderlay, isDown: Bool)? {
        var seen: Set<UInt32> = [tunnel.index]
        var evidence: Underlay.Evidence?
        var index = tunnel.index
        while let below = underlays[index] {
            // A chain is as certain as its weakest part.
            if evidence?.isCertain ?? true {
                evidence = below.evidence.isCertain ? evidence ?? below.evidence : below.evidence
            }
            guard let next = below.interfaceIndex, seen.insert(next).inserted, let link = links[next] else {
                return (PathUnderlay(interface: nil, evidence: below.evidence), isDown: below.evidence.isCertain)
            }
            if below.evidence.isCertain, isBlocked(below, through: link) {
                return (PathUnderlay(interface: PathInterface(link), evidence: below.evidence), isDown: true)
            }
            index = next
        }
        guard let evidence, let link = links[index] else { return nil }
        return (PathUnderlay(interface: PathInterface(link), evidence: evidence), isDown: false)
    }
}

extension NetworkSnapshot {
    /// Whether something certain keeps a tunnel's own packets from leaving through an interface.
    private func isBlocked(_ underlay: Underlay, through link: Link) -> Bool {
        guard canPassPackets(link), !link.leadsNowhere else { return true }
        guard let lookup = underlay.lookup, let route = lookup.route else { return false }
        return obstacle(ofSourceOf: route, through: link, lookup) != nil
    }
}

// MARK: - The source address

extension NetworkSnapshot {
    /// What is wrong with the source address that the kernel would choose.
    fileprivate func obstacle(
        ofSourceOf route: ResolvedRoute,
        through link: Link,
        _ lookup: RouteLookup
    ) -> ReasonCode? {
        let destination = lookup.destination
        let missing = missingAddress(destination.family, on: link)
        guard let source = route.source, !source.isUnspecified else { return missing }
        // Where an interface has no address the kernel takes another one's, in the end ::1: no answer comes back to it.
        let isLinkOnly = source.isLinkLocal && !destination.isLinkLocal && !destination.isMulticast
        if isLinkOnly || source.isLoopback && !destination.isLoopback { return missing }
        let owners = addresses.filter { $0.address == source }
        // An address that no message has announced yet.
        guard !owners.isEmpty, route.type == .unicast else { return nil }
        guard owners.contains(where: \.isUsable) else {
            return owners.contains { $0.flags.contains(.duplicateDetected) } ? .noAddress : .addressTentative
        }
        if owners.contains(where: { $0.interfaceIndex == link.index && $0.isUsable }) { return nil }
        guard lookup.matched?.preferredSource == source || owners.contains(where: lends) else { return missing }
        return linkLocalObstacle(on: link, family: destination.family)
    }

    /// Whether answers come back to an address through another interface than its own.
    ///
    /// Those of the loopback, a dummy and a VRF belong to the machine. In IPv6 so do global ones: a router asks its
    /// provider for a prefix, and its uplink has no address of its own (RFC 7084).
    private func lends(_ address: InterfaceAddress) -> Bool {
        guard address.isUsable, let owner = links[address.interfaceIndex] else { return false }
        return owner.leadsNowhere || owner.driverKind == "vrf" || address.address.isGlobalUnicast
    }

    /// With another interface's source the neighbour is asked from the link-local address, and not before that is usable.
    private func linkLocalObstacle(on link: Link, family: AddressFamily) -> ReasonCode? {
        guard family == .ipv6, !link.flags.contains(.noARP) else { return nil }
        let own = addresses.filter {
            $0.interfaceIndex == link.index && $0.address.family == .ipv6 && $0.address.isLinkLocal
        }
        if own.contains(where: \.isUsable) { return nil }
        return own.contains { !$0.flags.contains(.duplicateDetected) } ? .addressTentative : .noAddress
    }

    /// No usable source: because there is none at all, or because it is still being checked.
    private func missingAddress(_ family: AddressFamily, on link: Link) -> ReasonCode {
        let isBeingChecked = addresses.contains {
            $0.interfaceIndex == link.index && $0.address.family == family && !$0.address.isLinkLocal
                && $0.flags.contains(.tentative) && !$0.flags.contains(.duplicateDetected)
        }
        return isBeingChecked ? .addressTentative : .noAddress
    }
}
