extension Link {
    /// The link is a device that no packet leaves: the loopback, a dummy or its like, unless the operator says otherwise.
    public var leadsNowhere: Bool {
        guard classification.evidence.first?.source != .override else { return false }
        return flags.contains(.loopback) || ["dummy", "ifb", "nlmon", "blackhole"].contains(driverKind)
    }

    /// As the port of a bridge the link leads out of the machine: a medium or a tunnel of the kernel's own, and no tap or
    /// veth, behind which guests and containers are.
    fileprivate var isUplinkPort: Bool {
        switch kind {
        case .wifi, .wwan, .wired, .bluetooth: true
        case .tunnel: driverKind != "tun"
        case .ppp, .bridge, .virtual, .loopback, .unknown: false
        }
    }
}

extension NetworkSnapshot {
    /// Devices whose packets all pass the one below.
    private static let standsOnLower: Set<String> = ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"]
    /// The kernel itself stacks no more than 8.
    private static let deepestStack = 8

    /// Whether packets can pass an interface and what it stands on.
    ///
    /// A bridge passes packets when one of its ports does that lead out of the machine: those of a medium where it has
    /// any, else all. A guest's port keeps a bridge up whose cable was pulled, and one without any port is up for ever;
    /// and the carrier of a bridge goes up to a second after that of its last port.
    public func canPassPackets(_ link: Link) -> Bool { canPassPackets(link, depth: 0) }

    /// What keeps packets from passing an interface, or that nothing does.
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
