extension Link {
    /// `true` for a device from which no packet leaves: the loopback, a dummy or the like, unless overridden by the
    /// operator.
    public var leadsNowhere: Bool {
        guard classification.evidence.first?.source != .override else { return false }
        return flags.contains(.loopback) || ["dummy", "ifb", "nlmon", "blackhole"].contains(driverKind)
    }

    /// `true` if, as the port of a bridge, the link leads out of the machine: a medium or a kernel tunnel, and not a
    /// tap or veth, which lead to guests and containers.
    fileprivate var isUplinkPort: Bool {
        switch kind {
        case .wifi, .wwan, .wired, .bluetooth: true
        case .tunnel: driverKind != "tun"
        case .ppp, .bridge, .virtual, .loopback, .unknown: false
        }
    }
}

extension NetworkSnapshot {
    /// Devices that send all packets through their lower one.
    private static let standsOnLower: Set<String> = ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"]
    /// The maximum depth of stacked devices in the kernel.
    private static let deepestStack = 8

    /// Returns whether packets can pass an interface and its lower ones.
    ///
    /// A bridge passes packets when one of its uplink ports does: those with a medium if it has any, else all. A
    /// guest's port keeps a bridge up after its cable was pulled, and one without any port is up forever; and the
    /// carrier of a bridge changes up to a second after that of its last port.
    public func canPassPackets(_ link: Link) -> Bool { canPassPackets(link, depth: 0) }

    /// Returns the reason packets cannot pass an interface, or that they can.
    public func stateDescription(of link: Link) -> String {
        guard link.isUsable, !canPassPackets(link) else { return link.stateDescription }
        return link.driverKind == "bridge" ? "no port that leads out is up" : "what it stands on is down"
    }

    private func canPassPackets(_ link: Link, depth: Int) -> Bool {
        guard link.isUsable, depth < Self.deepestStack else { return false }
        if link.driverKind == "bridge" {
            let ports = links.values.filter { $0.masterIndex == link.index }
            let uplinks = ports.filter(\.isUplinkPort)
            return (uplinks.isEmpty ? ports : uplinks).contains { canPassPackets($0, depth: depth + 1) }
        }
        guard let kind = link.driverKind, Self.standsOnLower.contains(kind),
            let lower = link.lowerIndex.flatMap({ links[$0] })
        else { return true }
        return canPassPackets(lower, depth: depth + 1)
    }
}
