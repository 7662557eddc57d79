/// Interfaces that pass packets through others.
extension NetworkSnapshot {
    /// Devices that send all packets through their lower one.
    private static let standsOnLower = Link.stackedDrivers.union(["rmnet"])
    /// Devices that distribute packets among several network cards.
    private static let aggregates: Set<String> = ["bond", "team", "hsr"]
    /// The maximum depth of stacked devices in the kernel.
    private static let deepestStack = 8

    /// Returns whether packets can pass an interface and its lower ones, out of the machine.
    ///
    /// A bridge passes packets when one of its uplink ports does: those with a medium if it has any, else all. A
    /// guest's port keeps a bridge up after its cable was pulled, as does a dummy device, which leads nowhere, and one
    /// without any port is up forever; and the carrier of a bridge changes up to a second after that of its last port.
    ///
    /// A bond passes packets when its active member does, or any member if it has none: without link monitoring
    /// (`miimon 0`, the default of most modes) its carrier stays when its members lose theirs.
    public func canPassPackets(_ link: Link) -> Bool { canPassPackets(link) { !$0.leadsNowhere } }

    /// Returns whether packets can pass an interface, but only into devices that lead nowhere: it is one, or its lower
    /// ones are.
    package func leadsNowhere(_ link: Link) -> Bool {
        guard link.isUsable else { return false }
        return link.leadsNowhere || !canPassPackets(link) && canPassPackets(link) { _ in true }
    }

    /// Returns whether packets can pass an interface and those of its lower ones that count.
    private func canPassPackets(_ link: Link, where counts: (Link) -> Bool) -> Bool {
        guard link.isUsable else { return false }
        guard standsOnOthers(link) else { return true }
        // Level by level, each interface once: any number of them may stand on the same one.
        var level = [link]
        var seen: Set = [link.index]
        for _ in 1..<Self.deepestStack where !level.isEmpty {
            level = interfaces(below: level).filter {
                $0.isUsable && counts($0) && seen.insert($0.index).inserted
            }
            if level.contains(where: { !standsOnOthers($0) }) { return true }
        }
        return false
    }

    /// Returns the reason packets cannot pass an interface, or a statement that they can.
    public func stateDescription(of link: Link) -> String {
        guard link.isUsable, !canPassPackets(link) else { return link.stateDescription }
        if link.driverKind == "bridge" { return "no port that leads out is up" }
        return leadsNowhere(link) ? "what it stands on leads nowhere" : "what it stands on is down"
    }

    /// Returns the kind of an interface for the packets that leave through it now: `bridge` for a bridge, and for what
    /// stands on it, while the port from which it inherits its kind passes none.
    ///
    /// A kernel tunnel as another port then carries them, over a medium that is not known.
    package func kindInUse(of link: Link) -> InterfaceKind {
        var below = link
        for _ in 1..<Self.deepestStack {
            guard below.classification.isInherited else { break }
            if below.driverKind == "bridge" {
                let card = interfaces(below: [below]).first { $0.kind == below.kind && canPassPackets($0) }
                return card == nil ? .bridge : link.kind
            }
            guard let next = lower(of: below) else { break }
            below = next
        }
        return link.kind
    }

    /// Returns whether packets pass an interface only through others.
    private func standsOnOthers(_ link: Link) -> Bool { link.hasPorts || lower(of: link) != nil }

    /// Returns the interface through which a device sends all packets.
    private func lower(of link: Link) -> Link? {
        guard let kind = link.driverKind, Self.standsOnLower.contains(kind) else { return nil }
        return link.lowerIndex.flatMap { links[$0] }
    }

    /// Returns the interfaces that pass the packets of others: lower ones, and the ports that count.
    private func interfaces(below level: [Link]) -> [Link] {
        let masters = LinkTable(level.filter(\.hasPorts))
        let lowers = level.compactMap { $0.hasPorts ? nil : lower(of: $0) }
        guard !masters.isEmpty else { return lowers }
        // One walk for all bridges and bonds of the level.
        var (carriers, others): ([Link], [Link]) = ([], [])
        for port in links.values {
            guard let master = port.masterIndex.flatMap({ masters[$0] }) else { continue }
            let isCarrier = master.driverKind == "bond" ? port.index == master.activeMemberIndex : isUplinkPort(port)
            if isCarrier { carriers.append(port) } else { others.append(port) }
        }
        let served = Set(carriers.map(\.masterIndex))
        return lowers + carriers + others.filter { !served.contains($0.masterIndex) }
    }

    /// Returns whether a link, as the port of a bridge, leads out of the machine: a medium, a kernel tunnel, or a bond and
    /// the like, and not a tap or veth, which lead to guests and containers.
    ///
    /// A bond that has lost its members, or has members of several kinds, is of the kind `virtual`, and so is a VLAN on it.
    private func isUplinkPort(_ port: Link) -> Bool {
        switch port.kind {
        case .wifi, .wwan, .wired, .bluetooth: return true
        case .tunnel: return port.driverKind != "tun"
        case .virtual:
            var base = port
            for _ in 1..<Self.deepestStack {
                guard let next = lower(of: base) else { break }
                base = next
            }
            return base.driverKind.map(Self.aggregates.contains) ?? false
        case .ppp, .bridge, .loopback, .unknown: return false
        }
    }
}

extension Link {
    /// `true` for a bridge or a bond, which passes packets through its ports.
    fileprivate var hasPorts: Bool { driverKind == "bridge" || driverKind == "bond" }
}
