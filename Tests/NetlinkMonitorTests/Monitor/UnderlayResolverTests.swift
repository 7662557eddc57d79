internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The underlay of a tunnel where it is certain; the extension has what is found without a remote address or a device.
struct UnderlayResolverTests {
    /// Answers lookups, and names the interfaces of PPPoE sessions.
    struct Answers: KernelQueries {
        var ways: [LookupQuestion: UInt32] = [:]
        var ownAddresses: Set<IPAddress> = []
        var failure: RouteLookup.Refusal?
        var sessions: [String] = []
        var source = ConnectedSource.unknown
        /// The interface that a socket has to be bound to for it.
        var sourceInterface: UInt32 = 0
        func links() -> [LinkMessage] { [] }
        func addresses() -> [InterfaceAddress] { [] }
        func rules() -> [RoutingRule] { [] }
        func defaultRoutes(_ family: AddressFamily, table: UInt32, over interfaces: () -> [UInt32]) -> [Route] { [] }
        func states(of routers: Set<Router>) -> [Router: NeighbourState] { [:] }
        func takeShortestLifetime() -> Duration? { nil }
        func takeHasExpired() -> Bool { false }
        func lookups(_ questions: [LookupQuestion]) -> [RouteLookup] {
            questions.map { question in
                let type = ownAddresses.contains(question.destination) ? RouteType.local : .unicast
                let outcome = ways[question].map {
                    RouteLookup.Outcome.route(ResolvedRoute(interfaceIndex: $0, type: type))
                }
                return RouteLookup(
                    destination: question.destination,
                    outcome: outcome ?? .refused(failure ?? .noRoute)
                )
            }
        }
        func connectedSource(to destination: IPAddress, over interface: UInt32) -> ConnectedSource {
            interface == sourceInterface ? source : .unknown
        }
        func sessionInterfaces() -> [String] { sessions }
    }

    var kernel = Answers()
    var tunnel = Self.link(9, "tun0", .tunnel)
    var others = [
        Self.link(2, "eth0", .wired), Self.link(3, "wwan0", .wwan), Self.link(1, "lo", .loopback, flags: .loopback),
    ]
    var routes: [Route] = []
    var rules: [RoutingRule] = []
    var sources: [UInt32] = [2, 3, 9]
    var moreAddresses: [InterfaceAddress] = []
    /// Answers for further addresses that represent the Internet.
    var internetLookups: [RouteLookup] = []
    /// Answers for targets.
    var targetLookups: [RouteLookup] = []

    static func link(_ index: UInt32, _ name: String, _ kind: InterfaceKind, flags: LinkFlags = []) -> Link {
        Link(
            index: index,
            name: name,
            flags: flags.union([.up, .lowerUp]),
            classification: .init(kind: kind, evidence: [])
        )
    }

    private mutating func resolveAll() throws -> [UInt32: Underlay] {
        let internet = try ip("198.41.0.4")
        let addresses = try sources.map { index in
            InterfaceAddress(interfaceIndex: index, address: try ip("192.0.2.\(index)"), prefixLength: 24)
        }
        let snapshot = NetworkSnapshot(
            links: others + [tunnel],
            addresses: addresses + moreAddresses,
            defaultRoutes: routes,
            rules: rules,
            lookups: [
                RouteLookup(destination: internet, outcome: .route(ResolvedRoute(interfaceIndex: tunnel.index)))
            ] + internetLookups + targetLookups,
            internetAddresses: [internet] + internetLookups.map(\.destination)
        )
        return try UnderlayResolver(snapshot: snapshot).underlays(&kernel)
    }

    mutating func resolve() throws -> Underlay? { try resolveAll()[tunnel.index] }

    func defaultRoute(_ interface: UInt32, metric: UInt32 = 0, table: UInt32 = Route.mainTable) -> Route {
        Route(
            destination: .everything(.ipv4),
            table: table,
            metric: metric,
            nextHops: [NextHop(interfaceIndex: interface)]
        )
    }

    @Test(
        "a tunnel over UDP is looked up as UDP, which decides among several next hops",
        arguments: ["vxlan", "geneve"]
    )
    mutating func datagrams(kind: String) throws {
        let remote = try ip("2001:db8:f::9")
        tunnel.tunnelRemote = remote
        tunnel.driverKind = kind
        kernel.ways[LookupQuestion(destination: remote)] = 3
        kernel.ways[LookupQuestion(destination: remote, transport: .udp)] = 2
        #expect(try resolve()?.interfaceIndex == 2)
    }

    @Test mutating func `a tunnel over UDP is looked up with its port, which rules may select`() throws {
        let remote = try ip("203.0.113.9")
        tunnel.tunnelRemote = remote
        tunnel.driverKind = "vxlan"
        tunnel.tunnelPort = 4789
        kernel.ways[LookupQuestion(destination: remote, transport: .udp)] = 3
        kernel.ways[LookupQuestion(destination: remote, transport: .udp, port: 4789)] = 2
        #expect(try resolve()?.interfaceIndex == 2)
    }

    @Test(
        "a UDP tunnel over IPv6 has the route of its source if there is no route without a source",
        arguments: [("vxlan", 0, 2), ("vxlan", 2, 2), ("ip6gre", 0, nil)] as [(String, UInt32, UInt32?)]
    )
    mutating func sourceSpecific(kind: String, device: UInt32, expected: UInt32?) throws {
        let remote = try ip("2001:db8:f::9")
        let source = try ip("2001:db8:1::2")
        tunnel.tunnelRemote = remote
        tunnel.driverKind = kind
        tunnel.tunnelDeviceIndex = device == 0 ? nil : device
        kernel.source = .address(source)
        kernel.sourceInterface = device
        kernel.ways[LookupQuestion(destination: remote, source: source, interface: device, transport: .udp)] = 2
        #expect(try resolve()?.interfaceIndex == expected)
    }

    @Test("the kernel's route to the remote address takes precedence")
    mutating func remoteRoute() throws {
        let remote = try ip("203.0.113.9")
        tunnel.tunnelRemote = remote
        tunnel.lowerIndex = 2
        kernel.ways[LookupQuestion(destination: remote)] = 3
        let underlay = try #require(try resolve())
        #expect(underlay.interfaceIndex == 3)
        #expect(underlay.evidence == .remoteRoute)
        #expect(underlay.lookup?.destination == remote)
    }

    @Test("the remote address is looked up with the tunnel's device, mark and local address")
    mutating func boundTunnel() throws {
        let remote = try ip("203.0.113.9")
        let local = try ip("192.0.2.2")
        tunnel.tunnelRemote = remote
        tunnel.tunnelDeviceIndex = 2
        tunnel.tunnelMark = 7
        tunnel.tunnelLocal = local
        kernel.ways[LookupQuestion(destination: remote)] = 3
        kernel.ways[LookupQuestion(destination: remote, mark: 7, source: local, interface: 2)] = 2
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .remoteRoute))
    }

    @Test(
        "the remote address of a VTI is looked up in the VRF of the VTI; that of another tunnel is not",
        arguments: [("vti", 2), ("vti6", 2), ("gre", 3)] as [(String, UInt32)]
    )
    mutating func memberOfVRF(kind: String, expected: UInt32) throws {
        let remote = try ip("203.0.113.9")
        var vrf = Self.link(7, "vrf0", .virtual)
        vrf.driverKind = "vrf"
        others.append(vrf)
        tunnel.driverKind = kind
        tunnel.tunnelRemote = remote
        kernel.ways[LookupQuestion(destination: remote)] = 3
        kernel.ways[LookupQuestion(destination: remote, interface: 7)] = 2
        #expect(try resolve()?.interfaceIndex == 3)
        tunnel.masterIndex = 7
        #expect(try resolve()?.interfaceIndex == expected)
    }

    @Test("a tunnel whose local address is gone has no underlay, even if another address has a route")
    mutating func nearEndGone() throws {
        let remote = try ip("203.0.113.9")
        tunnel.tunnelRemote = remote
        tunnel.tunnelLocal = try ip("198.51.100.2")
        kernel.ways[LookupQuestion(destination: remote)] = 2
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .remoteRoute))
    }

    /// The fixed local address of a tunnel over IPv6, and what the machine has of it.
    struct LocalEnd: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var local = "2001:db8:1::2"
        var owner: UInt32?
        var answer: RouteType?
        var failure: RouteLookup.Refusal?
        let hasUnderlay: Bool
        var namesSource = true

        static let cases = [
            LocalEnd(testDescription: "an address of the egress interface", owner: 2, hasUnderlay: true),
            LocalEnd(testDescription: "an address of another interface", owner: 3, hasUnderlay: true),
            LocalEnd(testDescription: "an address that is gone", hasUnderlay: false),
            LocalEnd(testDescription: "an address of the network", answer: .unicast, hasUnderlay: false),
            LocalEnd(testDescription: "an address of a local route", answer: .local, hasUnderlay: true),
            LocalEnd(testDescription: "a lookup that fails", failure: .failed(errno: 12), hasUnderlay: true),
            LocalEnd(
                testDescription: "a link-local address",
                local: "fe80::2",
                owner: 2,
                hasUnderlay: true,
                namesSource: false
            ),
        ]
    }

    @Test("a tunnel over IPv6 has an underlay while the machine has its local address", arguments: LocalEnd.cases)
    mutating func localOverIPv6(_ row: LocalEnd) throws {
        let remote = try ip("2001:db8:f::9")
        let local = try ip(row.local)
        tunnel.driverKind = "vxlan"
        tunnel.tunnelRemote = remote
        tunnel.tunnelLocal = local
        if let owner = row.owner {
            moreAddresses = [InterfaceAddress(interfaceIndex: owner, address: local, prefixLength: 64)]
        }
        if row.answer == .local { kernel.ownAddresses = [local] }
        if row.answer != nil { kernel.ways[LookupQuestion(destination: local)] = 2 }
        kernel.failure = row.failure
        kernel.ways[LookupQuestion(destination: remote, source: local, transport: .udp)] = 2
        let underlay = try #require(try resolve())
        #expect(underlay.evidence == .remoteRoute)
        #expect(underlay.interfaceIndex == (row.hasUnderlay ? 2 : nil))
        #expect(underlay.lookup?.route?.source == (row.hasUnderlay && row.namesSource ? local : nil))
    }

    @Test("a remote address without a route, or with one through the tunnel itself, has no underlay")
    mutating func remoteWithoutWay() throws {
        let remote = try ip("203.0.113.9")
        tunnel.tunnelRemote = remote
        for way in [nil, 9] as [UInt32?] {
            kernel.ways[LookupQuestion(destination: remote)] = way
            let underlay = try #require(try resolve())
            #expect(underlay.interfaceIndex == nil)
            #expect(underlay.evidence == .remoteRoute)
        }
    }

    @Test("a tunnel in a tunnel is followed, and a cycle of tunnels does not loop for ever")
    mutating func nested() throws {
        var inner = Self.link(8, "vx1", .tunnel)
        inner.tunnelRemote = try ip("203.0.113.8")
        tunnel.tunnelRemote = try ip("203.0.113.9")
        others.append(inner)
        kernel.ways[LookupQuestion(destination: try ip("203.0.113.9"))] = 8
        kernel.ways[LookupQuestion(destination: try ip("203.0.113.8"))] = 2
        #expect(try resolveAll().mapValues(\.interfaceIndex) == [9: 8, 8: 2])
        kernel.ways[LookupQuestion(destination: try ip("203.0.113.8"))] = 9
        #expect(try resolveAll().mapValues(\.interfaceIndex) == [9: 8, 8: 9])
    }

    @Test("a standby tunnel, which only a default route names, has an underlay too")
    mutating func standby() throws {
        var other = Self.link(8, "vx1", .tunnel)
        other.tunnelRemote = try ip("203.0.113.8")
        others.append(other)
        kernel.ways[LookupQuestion(destination: try ip("203.0.113.8"))] = 2
        #expect(try resolveAll()[8] == nil)
        routes = [defaultRoute(8, metric: 700)]
        #expect(try resolveAll()[8]?.interfaceIndex == 2)
    }

    @Test(
        "of more tunnels than are followed, that of the route to the Internet comes before standbys and targets",
        arguments: [false, true]
    )
    mutating func manyTunnels(areTargets: Bool) throws {
        tunnel.lowerIndex = 2
        for index in 20..<60 as Range<UInt32> {
            var other = Self.link(index, "vx\(index)", .tunnel)
            other.lowerIndex = 3
            others.append(other)
            if areTargets {
                let answer = ResolvedRoute(interfaceIndex: index)
                targetLookups.append(RouteLookup(destination: try ip("203.0.113.\(index)"), outcome: .route(answer)))
            } else {
                routes.append(defaultRoute(index, metric: index))
            }
        }
        let found = try resolveAll()
        #expect(found.count == 16)
        #expect(found[tunnel.index] == Underlay(interfaceIndex: 2, evidence: .lowerDevice))
    }

    @Test("without a remote address, the device that the tunnel was created on is used, if it exists")
    mutating func lowerDevice() throws {
        tunnel.lowerIndex = 2
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .lowerDevice))
        tunnel.lowerIndex = 1
        #expect(try resolve()?.evidence != .lowerDevice)
    }

    @Test("a tunnel to a multicast group is carried by the device that the group is bound to")
    mutating func multicastGroup() throws {
        routes = [defaultRoute(9), defaultRoute(3, metric: 100)]
        tunnel.driverKind = "vxlan"
        tunnel.tunnelDeviceIndex = 2
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .lowerDevice))
    }

    @Test(
        "the device of an IPsec interface is no evidence, because its packets follow the route to the peer",
        arguments: ["xfrm", "vti", "vti6"]
    )
    mutating func association(kind: String) throws {
        tunnel.driverKind = kind
        tunnel.lowerIndex = 2
        #expect(try resolve() == nil)
        routes = [defaultRoute(9), defaultRoute(3, metric: 100)]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
    }

    @Test(
        "the underlay of PPPoE is the interface that all sessions share, if there is one session per link",
        arguments: [(["eth0"], 2), (["eth0", "eth0"], nil), (["wwan0"], 3), (["eth9"], nil), ([], nil)]
            as [([String], UInt32?)]
    )
    mutating func pppoe(_ sessions: [String], _ expected: UInt32?) throws {
        tunnel.name = "ppp0"
        tunnel.classification = .init(kind: .ppp, evidence: [])
        kernel.sessions = sessions
        #expect(try resolve() == expected.map { Underlay(interfaceIndex: $0, evidence: .pppoe) })
    }
}
