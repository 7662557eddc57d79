import NetlinkMonitor

@testable import Reachability

/// A machine with a wireless and a cellular uplink, and perhaps a tunnel over one of them, as a view of the kernel's.
struct ScriptedNetwork: Hashable {
    /// An uplink as it is at the moment.
    struct Port: Hashable {
        var isUp = true
        var hasIPv4 = true
        var hasIPv6 = false
        /// `true` when default routes lead through it.
        var hasRoute = true
        var router: UInt8 = 1
    }

    enum Name: String, CaseIterable {
        case wlan0, wwan0

        var index: UInt32 { self == .wlan0 ? 3 : 4 }
        var kind: InterfaceKind { self == .wlan0 ? .wifi : .wwan }
    }

    /// A tunnel with an IPv4 default route.
    struct Tunnel: Hashable {
        /// The uplink to which its remote is routed.
        var carrier = Name.wlan0
        /// `true` if the kernel prefers its default route to all others.
        var isPreferred = true

        static let index: UInt32 = 2
    }

    var tunnel: Tunnel?
    var wlan0: Port? = Port()
    var wwan0: Port?
    /// The uplink of the default path where both exist.
    var preferred = Name.wlan0
    /// `true` when the kernel goes by metrics alone, as it does unless `ignore_routes_with_linkdown` is set.
    var prefersDead = false

    static let internet = [address("198.41.0.4"), address("2001:503:ba3e::2:30")]

    static func address(_ text: String) -> IPAddress { IPAddress(text) ?? .unspecified(.ipv4) }

    private func port(_ name: Name) -> Port? { name == .wlan0 ? wlan0 : wwan0 }

    /// Returns the kernel's answer: by the preferred uplink that has a route of the family, dead or not.
    private func lookup(_ destination: IPAddress) -> RouteLookup {
        let isIPv4 = destination.family == .ipv4
        if isIPv4, tunnel?.isPreferred == true {
            return RouteLookup(
                destination: destination,
                outcome: .route(ResolvedRoute(interfaceIndex: Tunnel.index, source: Self.tunnelAddress)),
                matched: Route(destination: .everything(.ipv4))
            )
        }
        let order = Name.allCases.sorted { first, _ in first == preferred }
        let usable = order.filter { name in
            guard let port = port(name), port.hasRoute else { return false }
            return isIPv4 ? port.hasIPv4 : port.hasIPv6
        }
        guard let name = usable.first(where: { prefersDead || port($0)?.isUp == true }) ?? usable.first else {
            return RouteLookup(destination: destination, outcome: .refused(.noRoute))
        }
        return RouteLookup(
            destination: destination,
            outcome: .route(
                ResolvedRoute(
                    interfaceIndex: name.index,
                    gateway: gateway(name, destination.family),
                    source: source(name, destination.family)
                )
            ),
            matched: IPPrefix(address: .unspecified(destination.family), length: 0).map { Route(destination: $0) }
        )
    }

    private static let tunnelAddress = address("10.9.0.2")

    private func source(_ name: Name, _ family: AddressFamily) -> IPAddress {
        Self.address(family == .ipv4 ? "192.0.\(name.index).9" : "2001:db8:\(name.index)::9")
    }

    private func gateway(_ name: Name, _ family: AddressFamily) -> IPAddress {
        Self.address(
            family == .ipv4 ? "192.0.\(name.index).\(port(name)?.router ?? 1)" : "fe80::\(port(name)?.router ?? 1)"
        )
    }

    var snapshot: NetworkSnapshot {
        var links = [
            Link(
                index: 1,
                name: "lo",
                flags: [.up, .lowerUp],
                classification: InterfaceClassification(kind: .loopback, evidence: [])
            )
        ]
        var addresses: [InterfaceAddress] = []
        var routes: [Route] = []
        for name in Name.allCases {
            guard let port = port(name) else { continue }
            links.append(
                Link(
                    index: name.index,
                    name: name.rawValue,
                    flags: port.isUp ? [.up, .lowerUp] : [.up],
                    classification: InterfaceClassification(kind: name.kind, evidence: [])
                )
            )
            for family in AddressFamily.allCases where family == .ipv4 ? port.hasIPv4 : port.hasIPv6 {
                let length = family == .ipv4 ? 24 : 64
                addresses.append(
                    InterfaceAddress(
                        interfaceIndex: name.index,
                        address: source(name, family),
                        prefixLength: length
                    )
                )
                guard port.hasRoute, let prefix = IPPrefix(address: .unspecified(family), length: 0) else { continue }
                let hop = NextHop(interfaceIndex: name.index, gateway: gateway(name, family))
                routes.append(Route(destination: prefix, metric: name == preferred ? 100 : 600, nextHops: [hop]))
            }
        }
        var underlays: [UInt32: Underlay] = [:]
        if let tunnel {
            links.append(
                Link(
                    index: Tunnel.index,
                    name: "vx0",
                    flags: [.up, .lowerUp],
                    classification: InterfaceClassification(kind: .tunnel, evidence: [])
                )
            )
            addresses.append(
                InterfaceAddress(interfaceIndex: Tunnel.index, address: Self.tunnelAddress, prefixLength: 24)
            )
            let hop = NextHop(interfaceIndex: Tunnel.index)
            let metric: UInt32 = tunnel.isPreferred ? 50 : 700
            routes.append(Route(destination: .everything(.ipv4), metric: metric, nextHops: [hop]))
            underlays[Tunnel.index] = Underlay(interfaceIndex: tunnel.carrier.index, evidence: .remoteRoute)
        }
        return NetworkSnapshot(
            links: links,
            addresses: addresses,
            defaultRoutes: routes,
            lookups: Self.internet.map(lookup),
            underlays: underlays,
            internetAddresses: Self.internet
        )
    }

    func update(at milliseconds: Int, since old: ScriptedNetwork? = nil) -> NetworkUpdate {
        let snapshot = snapshot
        return NetworkUpdate(
            snapshot: snapshot,
            changes: old.map { snapshot.diff(from: $0.snapshot) } ?? [],
            observed: ScriptedCheck.time(milliseconds)
        )
    }
}

extension Vantages {
    /// The vantages of a snapshot whose default paths are certain.
    init(_ snapshot: NetworkSnapshot, bound: Set<String> = []) {
        self.init(
            snapshot,
            ipv4: PathDerivation(.ipv4, in: snapshot),
            ipv6: PathDerivation(.ipv6, in: snapshot),
            bound: bound
        )
    }
}
