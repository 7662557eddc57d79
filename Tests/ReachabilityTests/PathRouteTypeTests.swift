import NetlinkMonitor
import Testing

@testable import Reachability

/// The types of routes as the kernel answers with them: which of them lead out.
struct PathRouteTypeTests {
    private static let internet = ["198.41.0.4", "2001:503:ba3e::2:30"].map(ScriptedNetwork.address)
    private static let sources = ["192.0.2.2", "2001:db8::2"].map(ScriptedNetwork.address)

    /// The kernel's answer: through `eth0`, or for a local one through the loopback or a VRF.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: RouteType
        var family = AddressFamily.ipv4
        var interface: UInt32 = 3
        var destination: IPAddress?
        /// The prefix length of the deciding entry; `nil` if the kernel does not report the entry.
        var length: Int? = 0
        /// The type of the deciding entry, if another.
        var matchedType: RouteType?
        let reason: ReasonCode?
    }

    static let rows = [
        Row(testDescription: "unicast", type: .unicast, reason: nil),
        Row(testDescription: "unicast into a dummy", type: .unicast, interface: 4, reason: .leadsNowhere),
        Row(testDescription: "local", type: .local, interface: 1, reason: .leadsNowhere),
        Row(testDescription: "local, in IPv6", type: .local, family: .ipv6, interface: 1, reason: .leadsNowhere),
        Row(testDescription: "local, in a VRF", type: .local, interface: 5, reason: .leadsNowhere),
        Row(
            testDescription: "local, half of the addresses",
            type: .local,
            interface: 1,
            length: 1,
            reason: .leadsNowhere
        ),
        Row(testDescription: "local, a prefix", type: .local, interface: 1, length: 24, reason: .leadsNowhere),
        Row(
            testDescription: "local, of an unknown prefix",
            type: .local,
            interface: 1,
            length: nil,
            reason: .leadsNowhere
        ),
        Row(
            testDescription: "local, the machine's own address as a target",
            type: .local,
            interface: 1,
            destination: sources[0],
            length: 32,
            reason: nil
        ),
        Row(
            testDescription: "local, another target by default",
            type: .local,
            interface: 1,
            destination: ScriptedNetwork.address("203.0.113.9"),
            reason: .leadsNowhere
        ),
        Row(testDescription: "broadcast", type: .broadcast, reason: .noRoute),
        Row(testDescription: "broadcast, in IPv6", type: .broadcast, family: .ipv6, reason: nil),
        Row(
            testDescription: "broadcast, the target by a unicast route",
            type: .broadcast,
            destination: ScriptedNetwork.address("255.255.255.255"),
            matchedType: .unicast,
            reason: nil
        ),
        Row(
            testDescription: "broadcast, the target by a default route, of which the kernel says the same",
            type: .broadcast,
            destination: ScriptedNetwork.address("255.255.255.255"),
            reason: nil
        ),
        Row(
            testDescription: "broadcast into a dummy",
            type: .broadcast,
            interface: 4,
            destination: ScriptedNetwork.address("255.255.255.255"),
            reason: .leadsNowhere
        ),
        Row(testDescription: "multicast", type: .multicast, reason: .noRoute),
        Row(testDescription: "multicast, in IPv6", type: .multicast, family: .ipv6, reason: nil),
        Row(
            testDescription: "multicast, a group as the target",
            type: .multicast,
            destination: ScriptedNetwork.address("224.0.0.251"),
            matchedType: .unicast,
            reason: nil
        ),
        Row(
            testDescription: "multicast, a group by a default route, of which the kernel says the same",
            type: .multicast,
            destination: ScriptedNetwork.address("239.1.2.3"),
            reason: nil
        ),
        Row(
            testDescription: "multicast, a group by half of a default route",
            type: .multicast,
            destination: ScriptedNetwork.address("239.1.2.3"),
            length: 1,
            reason: nil
        ),
        Row(
            testDescription: "multicast, a group into a dummy",
            type: .multicast,
            interface: 4,
            destination: ScriptedNetwork.address("239.1.2.3"),
            reason: .leadsNowhere
        ),
        Row(testDescription: "anycast", type: .anycast, reason: nil),
        Row(testDescription: "anycast, in IPv6", type: .anycast, family: .ipv6, reason: nil),
        Row(testDescription: "anycast into a dummy", type: .anycast, interface: 4, reason: .leadsNowhere),
        Row(testDescription: "nat, in IPv6", type: .other, family: .ipv6, reason: nil),
    ]

    private static func link(_ index: UInt32, _ name: String, _ kind: InterfaceKind, driver: String? = nil) -> Link {
        Link(
            index: index,
            name: name,
            flags: kind == .loopback ? [.up, .lowerUp, .loopback] : [.up, .lowerUp],
            operationalState: .up,
            driverKind: driver,
            classification: InterfaceClassification(kind: kind, evidence: [])
        )
    }

    private func snapshot(_ lookup: RouteLookup) -> NetworkSnapshot {
        NetworkSnapshot(
            links: [
                Self.link(1, "lo", .loopback), Self.link(3, "eth0", .wired),
                Self.link(4, "dummy0", .virtual, driver: "dummy"), Self.link(5, "vrf0", .virtual, driver: "vrf"),
            ],
            addresses: Self.sources.flatMap { source in
                [3, 4].map { InterfaceAddress(interfaceIndex: $0, address: source, prefixLength: 24) }
            },
            lookups: [lookup],
            internetAddresses: Self.internet
        )
    }

    @Test("a route leads out if its type does", arguments: rows)
    func types(_ row: Row) throws {
        let position = row.family == .ipv4 ? 0 : 1
        let destination = row.destination ?? Self.internet[position]
        let prefix = row.length.flatMap {
            IPPrefix(address: $0 == 0 ? .unspecified(row.family) : destination, length: $0)
        }
        let lookup = RouteLookup(
            destination: destination,
            outcome: .route(
                ResolvedRoute(
                    interfaceIndex: row.interface,
                    // The kernel selects the address itself as the source of what it delivers to itself.
                    source: row.type == .local ? destination : Self.sources[position],
                    type: row.type
                )
            ),
            matched: prefix.map { Route(destination: $0, type: row.matchedType ?? row.type) }
        )
        let path = Path(lookup, in: snapshot(lookup))
        #expect(path.reason == row.reason)
        #expect(path.via.isReachable == (row.reason == nil))
        guard row.destination == nil else { return }
        #expect(ReachabilityState(snapshot(lookup)).via.isReachable == (row.reason == nil))
    }

    @Test(
        "a route that rejects packets is the reason there is no path",
        arguments: [
            (RouteLookup.Refusal.unreachable, ReasonCode.routeUnreachable), (.blackhole, .routeBlackhole),
            (.prohibited, .routeProhibited),
            // The lookup continues behind a route of type throw, and finds nothing.
            (.noRoute, .noRoute),
        ]
    )
    func refusals(_ refusal: RouteLookup.Refusal, _ reason: ReasonCode) {
        for destination in Self.internet {
            let lookup = RouteLookup(destination: destination, outcome: .refused(refusal))
            #expect(Path(lookup, in: snapshot(lookup)).reason == reason)
        }
    }

    @Test("a default route that does not lead out is no uplink", arguments: [RouteType.local, .broadcast, .multicast])
    func noUplink(_ type: RouteType) {
        let plain = ScriptedNetwork().snapshot
        let routes = plain.defaultRoutes.map { route in
            Route(destination: route.destination, type: type, nextHops: route.nextHops)
        }
        let network = NetworkSnapshot(
            links: Array(plain.links.values),
            addresses: plain.addresses,
            defaultRoutes: routes
        )
        #expect(Vantages(network).uplinks.isEmpty)
    }
}
