import Configuration
import FoundationEssentials
import NetlinkMonitor
import Probes
import Reachability
import Synchronization
import Testing

import struct AgentEvents.ConfigurationReload

@testable import ReachAgent

/// The check of a gateway at the beginning of a silence.
@Suite struct DoubtedGatewayTests {
    private static let gateway = ProbePoint(
        probe: ProbeRule.firstHopName,
        vantage: Vantage(interface: "eth0", families: .ipv4)
    )

    private static func settings(_ names: [String]) throws -> Settings {
        var settings = Settings()
        settings.settle = .none
        settings.probes = try names.map { try ProbeDefinition.adHoc("https://host.test/", name: $0) }
        settings.checksFirstHops = true
        return settings
    }

    private static func driver(_ names: [String]) throws -> ReachabilityDriver { .sample(try settings(names)) }

    /// A view with one uplink, with a router in each of its families.
    private static func snapshot(hasIPv6: Bool) throws -> NetworkSnapshot {
        var addresses: [InterfaceAddress] = []
        var routes: [Route] = []
        var lookups: [RouteLookup] = []
        var internet: [IPAddress] = []
        let families = [
            ("192.0.2.7", "192.0.2.1", "198.41.0.4"), ("2001:db8::7", "fe80::1", "2001:503:ba3e::2:30"),
        ]
        for (source, router, host) in families.prefix(hasIPv6 ? 2 : 1) {
            let (source, router) = (try #require(IPAddress(source)), try #require(IPAddress(router)))
            let host = try #require(IPAddress(host))
            addresses.append(InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 24))
            let hop = NextHop(interfaceIndex: 2, gateway: router)
            routes.append(Route(destination: .everything(source.family), nextHops: [hop]))
            let route = ResolvedRoute(interfaceIndex: 2, gateway: router, source: source)
            lookups.append(RouteLookup(destination: host, outcome: .route(route), matched: routes.last))
            internet.append(host)
        }
        let link = Link(
            index: 2,
            name: "eth0",
            flags: [.up, .lowerUp],
            classification: InterfaceClassification(kind: .wired, evidence: [])
        )
        return NetworkSnapshot(
            links: [link],
            addresses: addresses,
            defaultRoutes: routes,
            lookups: lookups,
            internetAddresses: internet
        )
    }

    private static func triggered(_ driver: ReachabilityDriver) -> [ProbePoint] {
        driver.state.withLock { $0.updates.triggered }
    }

    @Test(arguments: [true, false])
    func `a gateway is due at once, also where a reload or the loss of a path begins the silence`(
        _ isReload: Bool
    ) throws {
        let driver = try Self.driver(isReload ? ["api", "web"] : ["web"])
        let before = try Self.snapshot(hasIPv6: !isReload)
        driver.handle(.update(NetworkUpdate(snapshot: before, changes: [], observed: .now)))
        for record in driver.probes.records { _ = driver.judge(.sample(record.point, .ok)) }
        let web = ProbePoint(probe: "web", vantage: Vantage(families: .ipv4))
        let failed = CheckVerdict.failed(.connectTimeout, .connect)
        for _ in 0..<3 { _ = driver.judge(.sample(web, failed)) }
        driver.state.withLock { $0.updates.triggered = [] }
        if isReload {
            driver.configure(
                try Self.settings(["web"]),
                ConfigurationReload(files: [], added: [], removed: ["probe.api"], changed: [], needsRestart: [])
            )
        } else {
            let after = try Self.snapshot(hasIPv6: false)
            let changes = after.diff(from: before)
            driver.handle(.update(NetworkUpdate(snapshot: after, changes: changes, observed: .now)))
        }
        #expect(Self.triggered(driver) == [Self.gateway])
        // The next failure joins that check.
        _ = driver.judge(.sample(web, failed))
        #expect(Self.triggered(driver) == [Self.gateway])
    }
}
