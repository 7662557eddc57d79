import NetlinkMonitor
import Probes
import Testing

@testable import ReachAgent

/// The path changes that end or resume the transfers of `reachagent measure`.
@Suite struct MeasurePathsTests {
    /// A router, and the interface that leads to it.
    struct Router: Sendable {
        var interface: UInt32 = 2
        var address: String
    }

    /// The default paths, and the interfaces that can carry packets.
    struct Network: Sendable {
        var ipv4: Router? = Router(address: "192.0.2.1")
        var ipv6: Router? = Router(address: "fe80::1")
        var usable: Set<UInt32> = [2, 3]

        fileprivate var view: MeasurePaths.View {
            get throws {
                var lookups: [RouteLookup] = []
                for (router, host) in [(ipv4, "198.41.0.4"), (ipv6, "2001:503:ba3e::2:30")] {
                    guard let router else { continue }
                    let gateway = try #require(IPAddress(router.address))
                    let destination = try #require(IPAddress(host))
                    let route = ResolvedRoute(interfaceIndex: router.interface, gateway: gateway)
                    lookups.append(RouteLookup(destination: destination, outcome: .route(route)))
                }
                let interfaces: [(UInt32, String, InterfaceKind)] = [(2, "eth0", .wired), (3, "wlan0", .wifi)]
                let links = interfaces.map { index, name, kind in
                    Link(
                        index: index,
                        name: name,
                        flags: usable.contains(index) ? [.up, .lowerUp] : [.up],
                        classification: InterfaceClassification(kind: kind, evidence: [])
                    )
                }
                let snapshot = NetworkSnapshot(
                    links: links,
                    lookups: lookups,
                    internetAddresses: lookups.map(\.destination)
                )
                return MeasurePaths.View(snapshot)
            }
        }
    }

    private static let other = Router(interface: 3, address: "198.51.100.1")
    private static let other6 = Router(interface: 3, address: "fe80::3")
    private static let newRouter = Router(address: "192.0.2.2")
    private static let newRouter6 = Router(address: "fe80::2")

    @Test(
        arguments: [
            (Network(), Network(), [:]), (Network(ipv6: nil), Network(), [.ipv6: ["eth0"]]),
            (Network(), Network(ipv6: newRouter6), [.ipv6: ["eth0"]]),
            (Network(), Network(ipv4: newRouter), [.ipv4: ["eth0"]]),
            (Network(), Network(ipv4: newRouter, ipv6: newRouter6), [.any: ["eth0"]]),
            (Network(), Network(ipv4: other, ipv6: other6), [.any: ["eth0", "wlan0"]]),
            (Network(), Network(ipv4: other, ipv6: nil), [.any: ["eth0"], .ipv4: ["wlan0"]]),
            (Network(), Network(usable: [2]), [.any: ["wlan0"]]),
            (Network(), Network(ipv6: newRouter6, usable: [2]), [.any: ["wlan0"], .ipv6: ["eth0"]]),
            (Network(), Network(ipv4: other, usable: [3]), [.any: ["eth0"], .ipv4: ["wlan0"]]),
        ] as [(Network, Network, [AddressFamilies: Set<String>])]
    )
    func `a next hop concerns the transfers of its family, and a link those of both`(
        before: Network,
        after: Network,
        changes: [AddressFamilies: Set<String>]
    ) throws {
        #expect(try after.view.changes(since: before.view, bound: nil) == changes)
    }

    @Test(
        arguments: [
            (Network(ipv4: newRouter, ipv6: newRouter6), "eth0", [:]), (Network(usable: [2]), "eth0", [:]),
            (Network(usable: [2]), "wlan0", [.any: ["wlan0"]]),
        ] as [(Network, String, [AddressFamilies: Set<String>])]
    )
    func `only its own link concerns a transfer that is bound to an interface`(
        after: Network,
        bound: String,
        changes: [AddressFamilies: Set<String>]
    ) throws {
        #expect(try after.view.changes(since: Network().view, bound: bound) == changes)
    }
}
