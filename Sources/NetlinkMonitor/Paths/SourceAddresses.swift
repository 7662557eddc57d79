/// The addresses that packets beyond a link can have as their source.
///
/// For an interface without an address of its own the kernel selects that of any other one in the same VRF, or in none.
/// Packets come back to it if it is that of the loopback, a dummy or the VRF itself. In IPv6 they also do if it is a
/// global one of a network behind this machine: a router asks its provider for a prefix, and its uplink has no address
/// of its own (RFC 7084). That of an interface with a default route, or of a tunnel, is another provider's. A link-local
/// one counts if the router translates it.
package struct SourceAddresses {
    /// The addresses of a family at an interface, or in a VRF: 0 for those in none.
    private struct Scope: Hashable {
        let index: UInt32
        let family: AddressFamily
    }

    private let snapshot: NetworkSnapshot
    /// The interfaces with a route to the Internet.
    private var routed: Set<Scope> = []
    /// The interfaces with an address of their own.
    private var owners: Set<Scope> = []
    /// The VRFs with an address for all their interfaces.
    private var shared: Set<Scope> = []

    /// Collects the addresses of a snapshot.
    ///
    /// - Parameter uplinkRoutes: Those of the snapshot (``NetworkSnapshot/uplinkRoutes``).
    package init(_ snapshot: NetworkSnapshot, uplinkRoutes: [Route]) {
        self.snapshot = snapshot
        var routers: [UInt32: [IPAddress]] = [:]
        for route in uplinkRoutes {
            for hop in route.nextHops {
                guard let index = hop.interfaceIndex else { continue }
                routed.insert(Scope(index: index, family: route.family))
                if let router = hop.gateway { routers[index, default: []].append(router) }
            }
        }
        for address in snapshot.addresses {
            guard
                address.reachesBeyondLink
                    || routers[address.interfaceIndex]?.contains(where: { address.reaches(beyond: $0) }) == true
            else { continue }
            let own = Scope(index: address.interfaceIndex, family: address.address.family)
            owners.insert(own)
            guard let owner = snapshot.links[own.index] else { continue }
            let isDelegated = address.address.isGlobalUnicast && owner.kind != .tunnel && !routed.contains(own)
            guard owner.hasMachineAddresses || isDelegated else { continue }
            shared.insert(Scope(index: snapshot.routingDomain(of: owner), family: own.family))
        }
    }

    /// Returns whether an interface has an address of a family of its own.
    package func areOwn(_ family: AddressFamily, of interface: UInt32?) -> Bool {
        interface.map { owners.contains(Scope(index: $0, family: family)) } ?? false
    }

    /// Returns whether packets of a family through an interface have a source, its own or one that it borrows.
    ///
    /// - Parameter needsRoute: `true` if it borrows one only with a route to the Internet.
    package func exist(_ family: AddressFamily, for link: Link, needsRoute: Bool = true) -> Bool {
        if areOwn(family, of: link.index) { return true }
        return (!needsRoute || routed.contains(Scope(index: link.index, family: family)))
            && shared.contains(Scope(index: snapshot.routingDomain(of: link), family: family))
            && snapshot.linkLocalObstacle(on: link, family: family) == nil
    }
}

extension NetworkSnapshot {
    /// Returns the index of the VRF in which the kernel selects the source of packets through an interface, and routes
    /// those of an IPsec interface; 0 for none.
    func routingDomain(of link: Link) -> UInt32 {
        if link.driverKind == "vrf" { return link.index }
        return link.masterIndex.flatMap { links[$0] }.flatMap { $0.driverKind == "vrf" ? $0.index : nil } ?? 0
    }
}

extension InterfaceAddress {
    /// Returns whether packets through a router can use it as source.
    func reaches(beyond router: IPAddress?) -> Bool {
        reachesBeyondLink || isUsable && address.isTranslated(by: router)
    }
}

extension IPAddress {
    /// Returns whether a router forwards packets from a link-local source: in IPv4, if it is link-local itself.
    ///
    /// Any other router must drop them (RFC 3927, section 2.7). A link-local one is configured, as in a virtual machine
    /// whose host translates the source; a machine that has given up on DHCP has no router.
    func isTranslated(by router: IPAddress?) -> Bool {
        guard family == .ipv4, isLinkLocal, let router else { return false }
        return router.family == .ipv4 && router.isLinkLocal
    }
}

extension Link {
    /// `true` if its addresses belong to the machine rather than to one link: those of the loopback, a dummy and a VRF.
    var hasMachineAddresses: Bool { leadsNowhere || driverKind == "vrf" }
}
