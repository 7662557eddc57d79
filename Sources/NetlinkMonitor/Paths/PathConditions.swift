// MARK: - The interface

extension NetworkSnapshot {
    /// Returns the reason no packet leaves by a route: its interface cannot pass packets, or it does not lead out.
    func obstacle(of link: Link, to route: ResolvedRoute, _ lookup: RouteLookup) -> NetworkPath.UnusableReason? {
        let leadsNowhere = leadsNowhere(link)
        guard leadsNowhere || canPassPackets(link) else {
            let isAssociated = link.flags.contains([.up, .lowerUp]) && link.operationalState == .dormant
            return isAssociated ? .linkDormant : .linkDown
        }
        // The machine's own addresses are reached through the loopback, and a link's broadcast address or a multicast
        // group is no host beyond it.
        let isBeyond = lookup.isAnsweredByDefault || internetAddresses.contains(lookup.destination)
        guard route.type == .unicast || isBeyond else { return nil }
        if route.type == .local || leadsNowhere { return .leadsNowhere }
        // For a group the kernel answers with the type of the destination, also as that of the entry, and sends on the link.
        if lookup.destination.isMulticast || lookup.destination.isLimitedBroadcast { return nil }
        // In IPv4 connect(2) fails with ENETUNREACH by a default route of these types. In IPv6 packets leave by it.
        let isForGroups = route.type == .broadcast || route.type == .multicast
        return isForGroups && lookup.destination.family == .ipv4 && lookup.matched?.type == route.type ? .noRoute : nil
    }

    /// Returns the underlay of a tunnel, through any tunnels in between.
    ///
    /// A guessed underlay lends its medium, and never makes the path unusable.
    package func underlay(of tunnel: Link) -> ResolvedUnderlay? {
        guard var evidence = underlays[tunnel.index]?.evidence else { return nil }
        var seen: Set<UInt32> = [tunnel.index]
        var index = tunnel.index
        while let below = underlays[index] {
            // A chain is as certain as its weakest link; where all are certain, the broken one is the evidence.
            if evidence.isCertain, !below.evidence.isCertain { evidence = below.evidence }
            let broken = evidence.isCertain ? below.evidence : evidence
            guard let next = below.interfaceIndex, seen.insert(next).inserted else {
                // Nor is the absence of any uplink certain after lost messages.
                let isKnown = isSynchronized || below.evidence != .noCarrier
                return ResolvedUnderlay(link: nil, evidence: broken, isDown: broken.isCertain && isKnown)
            }
            guard let link = links[next] else {
                // The message that announced it may be among the lost ones.
                return ResolvedUnderlay(link: nil, evidence: broken, isDown: broken.isCertain && isSynchronized)
            }
            if below.evidence.isCertain, isBlocked(below, of: links[index], through: link) {
                // The tunnel's packets have their own ports, and therefore their own flows: one leg is enough, as for
                // other packets.
                guard let leg = usableLeg(of: below, for: links[index]), seen.insert(leg).inserted else {
                    return ResolvedUnderlay(link: link, evidence: broken, isDown: broken.isCertain)
                }
                index = leg
                continue
            }
            index = next
        }
        return links[index].map { ResolvedUnderlay(link: $0, evidence: evidence, isDown: false) }
    }
}

extension NetworkSnapshot {
    /// Returns the interface of a usable leg of the route to a tunnel's remote.
    ///
    /// A tunnel that is bound to a device uses only the legs over it; those of a VRF lead over its members.
    private func usableLeg(of underlay: Underlay, for tunnel: Link?) -> UInt32? {
        guard let lookup = underlay.lookup else { return nil }
        let device = tunnel?.tunnelDeviceIndex
        let isBound = device.map { links[$0]?.driverKind != "vrf" } ?? false
        return lookup.legs(in: self).first { leg in
            guard !isBound || leg.interfaceIndex == device, let link = links[leg.interfaceIndex] else { return false }
            return !isBlocked(leg, of: lookup, through: link)
        }?.interfaceIndex
    }

    /// Returns whether a tunnel's own packets certainly cannot leave through an interface.
    private func isBlocked(_ underlay: Underlay, of tunnel: Link?, through link: Link) -> Bool {
        guard let lookup = underlay.lookup, let route = lookup.route else {
            return !canPassPackets(link) || link.leadsNowhere
        }
        return isBlocked(route, of: lookup, through: link, named: tunnel?.tunnelLocal)
    }

    private func isBlocked(
        _ route: ResolvedRoute,
        of lookup: RouteLookup,
        through link: Link,
        named: IPAddress? = nil
    ) -> Bool {
        !canPassPackets(link) || link.leadsNowhere
            || obstacle(ofSourceOf: route, through: link, lookup, named: named) != nil
    }
}

// MARK: - The source address

extension NetworkSnapshot {
    /// Returns the reason the source address is not usable: the one selected by the kernel, or the one that a route or
    /// a tunnel names, which may be that of any interface.
    func obstacle(
        ofSourceOf route: ResolvedRoute,
        through link: Link,
        _ lookup: RouteLookup,
        named: IPAddress? = nil
    ) -> NetworkPath.UnusableReason? {
        let destination = lookup.destination
        let missing = missingAddress(destination.family, on: link)
        guard let source = route.source, !source.isUnspecified else { return missing }
        // For an interface without an address the kernel selects one of another interface, ultimately ::1, which no
        // answer can reach. The unspecified address is the loopback's.
        let isLinkOnly =
            source.isLinkLocal && !source.isTranslated(by: route.gateway) && !destination.isLinkLocal
            && !destination.isMulticast
        let isOwnMachine = destination.isLoopback || destination.isUnspecified
        if isLinkOnly || source.isLoopback && !isOwnMachine { return missing }
        let owners = addresses.filter { $0.address == source }
        // The kernel has not announced the address yet.
        guard !owners.isEmpty, route.type == .unicast else { return nil }
        guard owners.contains(where: \.isUsable) else {
            return owners.contains { $0.flags.contains(.duplicateDetected) } ? .noAddress : .addressTentative
        }
        let nextHop = route.gateway?.family ?? destination.family
        if owners.contains(where: { $0.interfaceIndex == link.index && $0.isUsable }) {
            // The source of an IPv4 packet is none for the solicitation of an IPv6 router (RFC 5549).
            return nextHop == destination.family ? nil : linkLocalObstacle(on: link, family: nextHop)
        }
        let isNamed = source == named ?? lookup.matched?.preferredSource
        guard isNamed || owners.contains(where: { lends($0, to: link) }) else { return missing }
        return linkLocalObstacle(on: link, family: nextHop)
    }

    /// Returns the source of a route if it is one that an interface can have from another one.
    ///
    /// The kernel selects it for each leg whose interface has no address.
    func lentSource(of route: ResolvedRoute) -> IPAddress? {
        addresses.first { $0.address == route.source && lends($0) }?.address
    }

    /// Returns whether packets through other interfaces can have an address as their source if the kernel selects it:
    /// one of the machine, or a global one in IPv6.
    ///
    /// The far end of a tunnel takes no packets from an uplink's provider: WireGuard drops any source that is not among
    /// the peer's `AllowedIPs`.
    private func lends(_ address: InterfaceAddress, to link: Link? = nil) -> Bool {
        guard address.isUsable, let owner = links[address.interfaceIndex] else { return false }
        if owner.hasMachineAddresses { return true }
        guard address.address.isGlobalUnicast else { return false }
        return link?.kind != .tunnel
            || !uplinkRoutes.contains { route in
                route.family == address.address.family
                    && route.nextHops.contains { $0.interfaceIndex == owner.index }
            }
    }

    /// Returns the reason the link-local address is not usable, which neighbour discovery uses for a next hop of a family
    /// if the packet's source is that of another interface, or of the other family.
    package func linkLocalObstacle(on link: Link, family: AddressFamily) -> NetworkPath.UnusableReason? {
        guard family == .ipv6, !link.flags.contains(.noARP) else { return nil }
        let own = addresses.filter {
            $0.interfaceIndex == link.index && $0.address.family == .ipv6 && $0.address.isLinkLocal
        }
        if own.contains(where: \.isUsable) { return nil }
        return own.contains { !$0.flags.contains(.duplicateDetected) } ? .addressTentative : .noAddress
    }

    /// Returns the reason for the lack of a usable source: no address at all, or one that is still tentative.
    private func missingAddress(_ family: AddressFamily, on link: Link) -> NetworkPath.UnusableReason {
        let isBeingChecked = addresses.contains {
            $0.interfaceIndex == link.index && $0.address.family == family && !$0.address.isLinkLocal
                && $0.flags.contains(.tentative) && !$0.flags.contains(.duplicateDetected)
        }
        return isBeingChecked ? .addressTentative : .noAddress
    }
}
