import CheckResults
import Configuration
import NetlinkMonitor
import Probes
import Reachability
import Synchronization
import Testing

@testable import ReachAgent

/// The costs of checks through a tunnel, which are those of the link that carries it, and of checks of an address.
@Suite struct TunnelChargeTests {
    private static let internet = IPAddress("198.41.0.4") ?? .unspecified(.ipv4)
    private static let office = IPAddress("192.0.2.80") ?? .unspecified(.ipv4)
    private static let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)

    private static func link(_ index: UInt32, _ name: String, _ kind: InterfaceKind) -> Link {
        Link(
            index: index,
            name: name,
            flags: [.up, .lowerUp],
            classification: InterfaceClassification(kind: kind, evidence: [])
        )
    }

    private static func lookup(_ destination: IPAddress, over interface: UInt32) -> RouteLookup {
        RouteLookup(
            destination: destination,
            outcome: .route(ResolvedRoute(interfaceIndex: interface, source: source))
        )
    }

    /// A view of a tunnel (2), a Wi-Fi (3) and a modem (4).
    ///
    /// - Parameters:
    ///   - egress: The interface of the default path.
    ///   - carrier: The underlay of the tunnel; nil for an unknown one.
    ///   - office: The interface of the path to the office, if that is looked up.
    fileprivate static func view(egress: UInt32, carrier: UInt32? = nil, office: UInt32? = nil) -> NetworkSnapshot {
        let links = [link(2, "wg0", .tunnel), link(3, "wlan0", .wifi), link(4, "wwan0", .wwan)]
        return NetworkSnapshot(
            links: links,
            addresses: links.map { InterfaceAddress(interfaceIndex: $0.index, address: source, prefixLength: 24) },
            lookups: [lookup(internet, over: egress)] + (office.map { [lookup(Self.office, over: $0)] } ?? []),
            underlays: carrier.map { [2: Underlay(interfaceIndex: $0, evidence: .markExemption)] } ?? [:],
            internetAddresses: [internet]
        )
    }

    private static func settings(_ target: String = "https://host.test/") throws -> Settings {
        var settings = Settings()
        settings.probes = [try ProbeDefinition.adHoc(target, name: "web")]
        settings.metered.bytesPerDay = 1000
        return settings
    }

    private static let tunnel = Vantage(interface: "wg0")

    private static func cost(_ vantage: Vantage, _ settings: Settings, _ snapshot: NetworkSnapshot) -> LinkCost? {
        ConnectivityPlan(settings).costs(of: [vantage], in: snapshot)[vantage]
    }

    private static let modem = LinkCost(
        account: "wwan",
        intervalFactor: 10,
        bytesPerDay: 1000,
        isCellular: true,
        isMetered: true
    )

    @Test(arguments: [tunnel, .default])
    func `a tunnel over a modem costs as the modem does`(vantage: Vantage) throws {
        let cost = Self.cost(vantage, try Self.settings(), Self.view(egress: 2, carrier: 4))
        #expect(cost == Self.modem)
    }

    @Test func `a tunnel over a Wi-Fi does not cost as the modem does that the default path uses`() throws {
        let cost = Self.cost(Self.tunnel, try Self.settings(), Self.view(egress: 4, carrier: 3))
        #expect(cost == LinkCost(account: "wifi"))
    }

    private static let defaultPaths: [(UInt32, LinkCost)] = [(4, modem), (3, LinkCost(account: "wifi"))]

    @Test(arguments: defaultPaths)
    func `a tunnel that no default route uses costs as the default path does`(egress: UInt32, expected: LinkCost) throws
    {
        let cost = Self.cost(Self.tunnel, try Self.settings(), Self.view(egress: egress))
        #expect(cost == expected)
    }

    @Test func `a tunnel that is the default path, over no known link, has an account of its own`() throws {
        let cost = Self.cost(Self.tunnel, try Self.settings(), Self.view(egress: 2))
        #expect(cost == LinkCost(account: "tunnel"))
    }

    private static let patterns: [(String, Vantage)] = [
        ("wg*", tunnel), ("wlan0", tunnel), ("wg0", .default), ("wlan*", .default),
    ]

    @Test(arguments: patterns)
    func `a tunnel is metered by its own name and by that of the link that carries it`(
        pattern: String,
        vantage: Vantage
    ) throws {
        var settings = try Self.settings()
        settings.metered.interfaces = [pattern]
        let cost = Self.cost(vantage, settings, Self.view(egress: 2, carrier: 3))
        #expect(cost?.isMetered == true && cost?.account == pattern && cost?.isCellular == false)
    }

    @Test(arguments: ["https://192.0.2.80/", "tcp://192.0.2.80:22", "icmp://192.0.2.80"])
    func `a check of an address costs as the path to it does`(target: String) throws {
        let plan = ConnectivityPlan(try Self.settings(target))
        let point = ProbePoint(probe: "web", vantage: .default)
        let snapshot = Self.view(egress: 3, office: 4)
        let costs = plan.costs(of: [.default], in: snapshot)
        #expect(costs == [.default: LinkCost(account: "wifi")])
        let lookups = plan.costsOfLookups([point], in: snapshot)
        #expect(lookups == [point: Self.modem])
        let schedule = plan.schedule([point], costs: costs, lookups: lookups, nextHops: [:])
        #expect(schedule.map(\.cost) == [Self.modem])
    }

    @Test(arguments: [(4, modem), (3, LinkCost(account: "wifi"))] as [(UInt32, LinkCost)])
    func `a resumed transfer to an address costs as the path to it does`(office: UInt32, expected: LinkCost) throws {
        let driver = ReachabilityDriver.sample(try Self.settings("https://192.0.2.80/"))
        let point = ProbePoint(probe: "web", vantage: .default)
        #expect(driver.cost(of: point) == nil)
        // The default path is the other link.
        let snapshot = Self.view(egress: 7 - office, office: office)
        driver.handle(.update(NetworkUpdate(snapshot: snapshot, changes: [], observed: .now)))
        #expect(driver.plan.costsOfLookups([point], in: snapshot) == [point: expected])
        #expect(driver.cost(of: point) == expected)
        #expect(driver.cost(of: ProbePoint(probe: "web", vantage: Vantage(interface: "wwan0"))) == Self.modem)
    }

    @Test func `a resumed transfer to an address without a path has no cost, whatever the default path costs`() throws {
        let plan = ConnectivityPlan(try Self.settings("https://192.0.2.80/"))
        let connected = Self.view(egress: 4)
        let snapshot = NetworkSnapshot(
            links: connected.links.map(\.self),
            addresses: connected.addresses,
            lookups: connected.lookups.values + [RouteLookup(destination: Self.office, outcome: .refused(.noRoute))],
            internetAddresses: connected.internetAddresses
        )
        #expect(plan.cost(of: ProbePoint(probe: "web", vantage: .default), in: snapshot) == nil)
    }

    @Test(arguments: defaultPaths)
    func `an address behind a tunnel that no default route uses costs as the default path does`(
        egress: UInt32,
        expected: LinkCost
    ) throws {
        let plan = ConnectivityPlan(try Self.settings("https://192.0.2.80/"))
        let point = ProbePoint(probe: "web", vantage: .default)
        #expect(plan.costsOfLookups([point], in: Self.view(egress: egress, office: 2)) == [point: expected])
        let finding = try Route(target: "https://192.0.2.80/", egress: egress).finding(office: 2)
        #expect(finding?.subject == (expected.isCellular ? "wwan0" : nil))
    }

    private static let others: [(String, Vantage, UInt32?)] = [
        ("https://host.test/", .default, 4), ("https://192.0.2.80/", .default, nil),
        ("https://192.0.2.80/", Vantage(interface: "wlan0"), 4),
    ]

    @Test(arguments: others)
    func `no other check costs as the path to an address does`(target: String, vantage: Vantage, office: UInt32?)
        throws
    {
        let plan = ConnectivityPlan(try Self.settings(target))
        let point = ProbePoint(probe: "web", vantage: vantage)
        #expect(plan.costsOfLookups([point], in: Self.view(egress: 3, office: office)).isEmpty)
    }

    @Test func `the cost of a tunnel follows the default path that carries it`() throws {
        var settings = try Self.settings()
        settings.probes[0].rule.interfaces = .matching(["wg0"])
        let driver = ReachabilityDriver.sample(settings)
        func see(_ snapshot: NetworkSnapshot, since old: NetworkSnapshot?) {
            let changes = old.map { snapshot.diff(from: $0) } ?? []
            driver.handle(.update(NetworkUpdate(snapshot: snapshot, changes: changes, observed: .now)))
        }
        let (before, after) = (Self.view(egress: 3), Self.view(egress: 4))
        see(before, since: nil)
        let point = ProbePoint(probe: "web", vantage: Vantage(interface: "wg0", families: .ipv4))
        #expect(driver.state.withLock { $0.points } == [point])
        #expect(driver.state.withLock { $0.costs } == [point.vantage: LinkCost(account: "wifi")])
        _ = driver.state.withLock { $0.updates.take() }
        see(after, since: before)
        let (costs, updates) = driver.state.withLock { ($0.costs, $0.updates) }
        #expect(costs == [point.vantage: Self.modem])
        #expect(updates.hasNewSchedule)
        #expect(updates.rechecks.isEmpty)
    }

    /// A check that may not use a cellular interface, and the interfaces of the default path and below the tunnel.
    struct Route: Sendable {
        var target = "https://host.test/"
        /// The interface that the check is bound to.
        var interface: String?
        var egress: UInt32
        var carrier: UInt32?

        /// - Parameter office: The interface of the path to the office, if that is looked up.
        fileprivate func finding(office: UInt32? = nil) throws -> Finding? {
            var probe = try ProbeDefinition.adHoc(target, name: "web").probe
            probe.request.allowsCellularAccess = false
            probe.interface = interface
            let view = TunnelChargeTests.view(egress: egress, carrier: carrier, office: office)
            return CellularGuard.finding(for: probe, in: view)
        }
    }

    @Test(arguments: [
        Route(interface: "wg0", egress: 2, carrier: 4), Route(egress: 2, carrier: 4),
        Route(interface: "wg0", egress: 4), Route(interface: "wwan0", egress: 3),
        Route(target: "https://192.0.2.80/", egress: 3),
    ])
    func `a check that may not use the modem is not made through a tunnel over it`(route: Route) throws {
        let finding = try route.finding(office: 4)
        #expect(finding?.code == .cellularNotAllowed && finding?.subject == "wwan0")
    }

    @Test(arguments: [
        Route(interface: "wg0", egress: 2, carrier: 3), Route(interface: "wg0", egress: 4, carrier: 3),
        Route(interface: "wg0", egress: 3), Route(interface: "gone0", egress: 4),
    ])
    func `a check that may not use the modem is made through a tunnel over another link`(route: Route) throws {
        #expect(try route.finding() == nil)
    }

    @Test(
        arguments: [
            (.wired, .wwan, .any, "six0"), (.wwan, .wired, .any, "four0"), (.wired, .wwan, .ipv6, "six0"),
            (.wired, .wwan, .ipv4, nil), (.wwan, .wired, .ipv6, nil), (.wired, .wifi, .any, nil),
            (.wwan, .tunnel, .ipv6, "four0"), (.wired, .tunnel, .ipv6, nil),
        ] as [(InterfaceKind, InterfaceKind, AddressFamilies, String?)]
    )
    func `a check that may not use the modem is not made in a family that leaves through it`(
        ipv4: InterfaceKind,
        ipv6: InterfaceKind,
        families: AddressFamilies,
        subject: String?
    ) throws {
        var probe = try ProbeDefinition.adHoc("https://host.test/", name: "web").probe
        probe.request.allowsCellularAccess = false
        probe.families = families
        let finding = CellularGuard.finding(for: probe, in: try ConnectivityPlanTests.view(ipv4: ipv4, ipv6: ipv6))
        #expect(finding?.subject == subject)
    }
}
