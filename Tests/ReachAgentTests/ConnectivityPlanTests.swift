import Configuration
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// The plan that follows from the settings and the network's view: the checks, their vantages and their costs.
@Suite struct ConnectivityPlanTests {
    private static let internet = IPAddress("198.41.0.4") ?? .unspecified(.ipv4)

    /// A view in which the Internet is reached through the first link; all links have a default route.
    private static func view(_ links: [(name: String, kind: InterfaceKind)]) -> NetworkSnapshot {
        let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)
        let found = links.enumerated().map { offset, link in
            Link(
                index: UInt32(offset + 2),
                name: link.name,
                flags: [.up, .lowerUp],
                classification: InterfaceClassification(kind: link.kind, evidence: [])
            )
        }
        return NetworkSnapshot(
            links: found,
            addresses: found.map { InterfaceAddress(interfaceIndex: $0.index, address: source, prefixLength: 24) },
            lookups: [
                RouteLookup(
                    destination: internet,
                    outcome: .route(ResolvedRoute(interfaceIndex: 2, source: source))
                )
            ],
            internetAddresses: [internet]
        )
    }

    /// A view in which IPv4 leaves through `four0` and IPv6 through `six0`, which are of these kinds; nil for no path.
    static func view(ipv4: InterfaceKind?, ipv6: InterfaceKind?) throws -> NetworkSnapshot {
        let families = [
            (UInt32(2), "four0", ipv4, "192.0.2.7", "198.41.0.4"),
            (UInt32(3), "six0", ipv6, "2001:db8::7", "2001:503:ba3e::2:30"),
        ]
        var (links, addresses): ([Link], [InterfaceAddress]) = ([], [])
        var (lookups, hosts): ([RouteLookup], [IPAddress]) = ([], [])
        for (index, name, kind, own, remote) in families {
            guard let kind else { continue }
            let source = try #require(IPAddress(own))
            let host = try #require(IPAddress(remote))
            let classification = InterfaceClassification(kind: kind, evidence: [])
            links.append(Link(index: index, name: name, flags: [.up, .lowerUp], classification: classification))
            addresses.append(InterfaceAddress(interfaceIndex: index, address: source, prefixLength: 24))
            let outcome = RouteLookup.Outcome.route(ResolvedRoute(interfaceIndex: index, source: source))
            lookups.append(RouteLookup(destination: host, outcome: outcome))
            hosts.append(host)
        }
        return NetworkSnapshot(links: links, addresses: addresses, lookups: lookups, internetAddresses: hosts)
    }

    private static func settings() throws -> Settings {
        var settings = Settings()
        settings.probes = [try ProbeDefinition.adHoc("https://host.test/", name: "web")]
        settings.metered.bytesPerDay = 1000
        return settings
    }

    private static func cost(_ vantage: Vantage, _ settings: Settings, _ snapshot: NetworkSnapshot) -> LinkCost? {
        ConnectivityPlan(settings).costs(of: [vantage], in: snapshot)[vantage]
    }

    @Test func `a cellular default path is metered`() throws {
        let cost = Self.cost(.default, try Self.settings(), Self.view([("wwan0", .wwan)]))
        let expected = LinkCost(
            account: "wwan",
            intervalFactor: 10,
            bytesPerDay: 1000,
            isCellular: true,
            isMetered: true
        )
        #expect(cost == expected)
    }

    @Test(arguments: [(true, InterfaceKind.wwan, true), (false, .wwan, false), (true, .wifi, false)])
    func `the cost of the default path is that of a sink`(includesCellular: Bool, kind: InterfaceKind, isMetered: Bool)
        throws
    {
        var settings = try Self.settings()
        // Metered is metered, whatever the factor.
        (settings.metered.includesCellular, settings.metered.intervalFactor) = (includesCellular, 1)
        let (cost, answer) = ConnectivityPlan(settings).costOfDefaultPath(in: Self.view([("a0", kind)]))
        #expect(answer == isMetered && cost.account == kind.rawValue)
        #expect(cost.bytesPerDay == (isMetered ? 1000 : nil))
        let nowhere = ConnectivityPlan(settings).costOfDefaultPath(in: NetworkSnapshot(isSynchronized: true))
        #expect(nowhere.cost == .free && !nowhere.isMetered)
    }

    @Test(
        arguments: [
            (.wired, .wwan, .any, "wwan"), (.wwan, .wired, .any, "wwan"), (nil, .wwan, .any, "wwan"),
            (.wired, .wwan, .ipv6, "wwan"), (.wired, .wwan, .ipv4, "wired"), (.wwan, .wired, .ipv6, "wired"),
            (.wired, .wifi, .any, "wired"), (.wired, nil, .any, "wired"), (.wwan, .tunnel, .ipv6, "wwan"),
            (.wired, .tunnel, .ipv6, "wired"), (nil, .tunnel, .ipv6, "tunnel"),
        ] as [(InterfaceKind?, InterfaceKind?, AddressFamilies, String)]
    )
    func `what may use either family costs as the dearer path does`(
        ipv4: InterfaceKind?,
        ipv6: InterfaceKind?,
        families: AddressFamilies,
        account: String
    ) throws {
        let (settings, view) = (try Self.settings(), try Self.view(ipv4: ipv4, ipv6: ipv6))
        let isModem = account == "wwan"
        let expected = LinkCost(
            account: account,
            intervalFactor: isModem ? 10 : 1,
            bytesPerDay: isModem ? 1000 : nil,
            isCellular: isModem,
            isMetered: isModem
        )
        #expect(Self.cost(Vantage(families: families), settings, view) == expected)
        guard families == .any else { return }
        let ofSink = ConnectivityPlan(settings).costOfDefaultPath(in: view)
        #expect(ofSink.cost == expected && ofSink.isMetered == isModem)
    }

    @Test func `what may use either family keeps the restrictions of both paths`() throws {
        var settings = try Self.settings()
        (settings.metered.interfaces, settings.metered.includesCellular) = (["four*"], false)
        let view = try Self.view(ipv4: .wired, ipv6: .wwan)
        let cost = try #require(Self.cost(.default, settings, view))
        #expect(cost.account == "four*" && cost.isMetered && cost.bytesPerDay == 1000 && cost.isCellular)
        // IPv6 is tried first.
        settings.metered.includesCellular = true
        #expect(Self.cost(.default, settings, view)?.account == "wwan")
    }

    @Test func `a cellular path is not metered when the settings say so, and is still cellular`() throws {
        var settings = try Self.settings()
        settings.metered.includesCellular = false
        let cost = Self.cost(.default, settings, Self.view([("wwan0", .wwan)]))
        #expect(cost == LinkCost(account: "wwan", isCellular: true))
    }

    @Test func `an interface is metered by its name, wherever the default path leads`() throws {
        var settings = try Self.settings()
        settings.metered.interfaces = ["usb*"]
        let snapshot = Self.view([("eth0", .wired), ("usb0", .wired)])
        #expect(Self.cost(.default, settings, snapshot)?.intervalFactor == 1)
        #expect(Self.cost(Vantage(interface: "usb0"), settings, snapshot)?.intervalFactor == 10)
    }

    @Test func `the bytes of a free link of the same kind use up no budget of a metered one`() throws {
        var settings = try Self.settings()
        settings.metered.interfaces = ["usb*", "enx*"]
        let snapshot = Self.view([("eth0", .wired), ("usb0", .wired), ("usb1", .wired), ("enx02", .wired)])
        let costs = try ["eth0", "usb0", "usb1", "enx02"].map { name in
            try #require(Self.cost(Vantage(interface: name), settings, snapshot))
        }
        #expect(costs.map(\.account) == ["wired", "usb*", "usb*", "enx*"])
        var budget = ByteBudget()
        #expect(budget.charge(6_000_000, to: costs[0], seconds: 0).left == nil)
        #expect(budget.charge(1, to: costs[1], seconds: 0).left == 999)
        // A phone that is attached again, with another name.
        #expect(budget.charge(1, to: costs[2], seconds: 0).left == 998)
        #expect(budget.charge(0, to: costs[3], seconds: 0).left == 1000)
    }

    @Test(arguments: [("usb0", "usb0"), ("wg0", "wwan")])
    func `a modem has one account, whether its checks use a tunnel or not`(pattern: String, account: String) throws {
        var settings = try Self.settings()
        settings.metered.interfaces = [pattern]
        let snapshot = Self.view([("usb0", .wwan), ("wg0", .tunnel)])
        for vantage in [Vantage(interface: "usb0"), Vantage(interface: "wg0")] {
            #expect(Self.cost(vantage, settings, snapshot)?.account == account)
        }
    }

    @Test(arguments: ["enp3*", "a-name-of-more-than-15-bytes"])
    func `an interface is metered, and known to be cellular, by an alternative name`(pattern: String) throws {
        var settings = try Self.settings()
        (settings.metered.interfaces, settings.metered.includesCellular) = ([pattern], false)
        let names = ["enp3s0", "a-name-of-more-than-15-bytes"]
        let plain = Self.view([("eth0", .wwan), ("eth1", .wired)])
        let snapshot = NetworkSnapshot(
            links: plain.links.map { link in
                var link = link
                if link.name == "eth0" { link.alternativeNames = names }
                return link
            },
            addresses: plain.addresses,
            lookups: Array(plain.lookups.values),
            internetAddresses: plain.internetAddresses
        )
        for vantage in [Vantage.default, Vantage(interface: "eth0")] + names.map({ Vantage(interface: $0) }) {
            let cost = try #require(Self.cost(vantage, settings, snapshot))
            #expect(cost.isMetered && cost.isCellular && cost.intervalFactor == 10)
        }
        #expect(Self.cost(Vantage(interface: "eth1"), settings, snapshot)?.isMetered == false)
    }

    @Test func `a check is bound to its vantage`() throws {
        let plan = ConnectivityPlan(try Self.settings())
        let vantage = Vantage(interface: "wlan0", families: .ipv6)
        let scheduled = plan.schedule([ProbePoint(probe: "web", vantage: vantage)], costs: [:], nextHops: [:])
        #expect(scheduled.map(\.probe.interface) == ["wlan0"])
        #expect(scheduled.map(\.probe.families) == [.ipv6])
        #expect(scheduled.map(\.cost) == [.free])
    }

    @Test func `a point of a probe that is gone is not scheduled`() throws {
        let plan = ConnectivityPlan(try Self.settings())
        #expect(plan.schedule([ProbePoint(probe: "other", vantage: .default)], costs: [:], nextHops: [:]).isEmpty)
    }

    @Test func `a network that names its interface is queried over its own path`() throws {
        let portals = [
            NetworkPortal(interface: "wlan0", isUsed: true, uri: .api("https://portal.test/api")),
            NetworkPortal(interface: "wlan1", isUsed: false, uri: .api("https://other.test/api")),
            NetworkPortal(interface: "eth0", isUsed: false, uri: .unrestricted),
        ]
        let rules = ConnectivityPlan(try Self.settings(), portals: portals).machineConfiguration.probes
        #expect(rules.map(\.name) == ["web", "portal-api.wlan0", "portal-api.wlan1"])
        #expect(rules.map(\.interfaces) == [.default, .default, .matching(["wlan1"])])
        #expect(rules.map(\.isRequired) == [true, false, false])
    }

    @Test func `no network is queried any more once the settings say so, or have no probe`() throws {
        let portals = [NetworkPortal(interface: "wlan0", isUsed: true, uri: .api("https://portal.test/api"))]
        var settings = try Self.settings()
        settings.portal.asksNetwork = false
        #expect(ConnectivityPlan(settings, portals: portals).machineConfiguration.probes.map(\.name) == ["web"])
        #expect(ConnectivityPlan(Settings(), portals: portals).machineConfiguration.probes.isEmpty)
    }

    @Test func `no network is queried before a probe is configured`() throws {
        #expect(!ConnectivityPlan(Settings()).asksNetworks)
        var settings = try Self.settings()
        #expect(ConnectivityPlan(settings).asksNetworks)
        settings.portal.asksNetwork = false
        #expect(!ConnectivityPlan(settings).asksNetworks)
    }
}
