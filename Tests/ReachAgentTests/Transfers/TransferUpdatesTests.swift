import Configuration
import FoundationEssentials
import NetlinkMonitor
import Probes
import Reachability
import Synchronization
import Testing

import struct AgentEvents.Event
import struct AgentEvents.EventOrigin
import enum AgentEvents.EventType

@testable import ReachAgent

/// The permission for transfers to start, the changes of their path, and the subscribers of their progress.
@Suite struct TransferUpdatesTests {
    private static let internet = IPAddress("198.41.0.4") ?? .unspecified(.ipv4)
    private static let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)
    private static let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: nil)

    private static func settings(_ names: [String], _ families: ProbeRule.Families = .each) throws -> Settings {
        var settings = Settings()
        settings.settle = .none
        settings.probes = try names.map { name in
            var definition = try ProbeDefinition.adHoc("https://host.test/", name: name)
            guard name == "speed" else { return definition }
            definition.probe.transfer = TransferPlan(downloadBytes: 1000)
            definition.rule.transfer = TransferRule()
            definition.rule.isRequired = false
            definition.rule.families = families
            return definition
        }
        return settings
    }

    private static func driver(_ names: [String]) throws -> ReachabilityDriver { .sample(try settings(names)) }

    /// A view with one uplink.
    private static func update(isUp: Bool) -> NetworkUpdate {
        let link = Link(
            index: 2,
            name: "eth0",
            flags: isUp ? [.up, .lowerUp] : [.up],
            classification: InterfaceClassification(kind: .wired, evidence: [])
        )
        let outcome = RouteLookup.Outcome.route(ResolvedRoute(interfaceIndex: 2, source: source))
        let snapshot = NetworkSnapshot(
            links: [link],
            addresses: [InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 24)],
            lookups: [RouteLookup(destination: internet, outcome: outcome)],
            internetAddresses: [internet]
        )
        return NetworkUpdate(snapshot: snapshot, changes: [], observed: .now)
    }

    private static func check(_ probe: String, _ verdict: CheckVerdict) -> CompletedCheck {
        .sample(ProbePoint(probe: probe, vantage: Vantage(families: .ipv4)), verdict)
    }

    private static func updates(_ driver: ReachabilityDriver) -> TransferUpdates {
        driver.state.withLock { $0.updates.transfers }
    }

    @Test func `transfers may start while the connectivity is full`() throws {
        let driver = try Self.driver(["web", "speed"])
        driver.handle(.update(Self.update(isUp: true)))
        #expect(!Self.updates(driver).isAllowed)
        _ = driver.judge(Self.check("web", .ok))
        #expect(Self.updates(driver).isAllowed && Self.updates(driver).isNew)
        for _ in 0..<3 { _ = driver.judge(Self.check("web", .failed(.connectTimeout, .connect))) }
        #expect(!Self.updates(driver).isAllowed)
    }

    @Test func `where nothing but transfers is configured a path is enough`() throws {
        let driver = try Self.driver(["speed"])
        #expect(!Self.updates(driver).isAllowed)
        driver.handle(.update(Self.update(isUp: true)))
        #expect(Self.updates(driver).isAllowed)
        for _ in 0..<5 { _ = driver.judge(Self.check("speed", .failed(.connectTimeout, .connect))) }
        #expect(Self.updates(driver).isAllowed)
        driver.handle(.update(Self.update(isUp: false)))
        #expect(!Self.updates(driver).isAllowed)
    }

    @Test func `an agent without transfers has no updates of them`() throws {
        let driver = try Self.driver(["web"])
        driver.handle(.update(Self.update(isUp: true)))
        _ = driver.judge(Self.check("web", .ok))
        driver.handle(.update(Self.update(isUp: false)))
        #expect(!Self.updates(driver).isAllowed && !Self.updates(driver).isPending)
    }

    @Test func `a path that changes or is lost is an update for transfers over it`() throws {
        let driver = try Self.driver(["web", "speed"])
        driver.handle(.update(Self.update(isUp: true)))
        driver.state.withLock { $0.updates.transfers = TransferUpdates() }
        driver.handle(.update(Self.update(isUp: false)))
        #expect(Self.updates(driver).changedPaths == [Vantage(families: .ipv4)])
        driver.state.withLock { $0.updates.transfers = TransferUpdates() }
        driver.handle(.update(Self.update(isUp: true)))
        #expect(Self.updates(driver).changedPaths == [Vantage(families: .ipv4)])
    }

    /// The kinds of the interfaces through which each family leaves; nil for no path.
    struct Paths: Sendable {
        var ipv4: InterfaceKind?
        var ipv6: InterfaceKind?

        fileprivate var update: NetworkUpdate {
            get throws {
                let snapshot = try ConnectivityPlanTests.view(ipv4: ipv4, ipv6: ipv6)
                return NetworkUpdate(snapshot: snapshot, changes: [], observed: .now)
            }
        }
    }

    private static let wired = Paths(ipv4: .wired, ipv6: .wired)

    @Test(
        arguments: [
            (.any, wired, Paths(ipv4: .wired, ipv6: .wifi), [Vantage(families: .ipv6)]),
            (.any, wired, Paths(ipv4: .wifi, ipv6: .wired), [Vantage(families: .ipv4)]),
            (.any, wired, Paths(ipv4: .wifi, ipv6: .wifi), [.default]),
            (.any, wired, Paths(ipv4: .wired), [Vantage(families: .ipv6)]),
            (.any, Paths(ipv4: .wired), wired, [Vantage(families: .ipv6)]), (.any, wired, Paths(), [.default]),
            (.any, wired, wired, []), (.each, wired, Paths(ipv4: .wired, ipv6: .wifi), [Vantage(families: .ipv6)]),
            (.each, wired, Paths(ipv4: .wired), [Vantage(families: .ipv6)]),
            (.each, Paths(ipv4: .wired), wired, [Vantage(families: .ipv6)]),
        ] as [(ProbeRule.Families, Paths, Paths, Set<Vantage>)]
    )
    func `an update for transfers has the families whose path changes`(
        families: ProbeRule.Families,
        before: Paths,
        after: Paths,
        changed: Set<Vantage>
    ) throws {
        let driver = ReachabilityDriver.sample(try Self.settings(["web", "speed"], families))
        driver.handle(.update(try before.update))
        driver.state.withLock { $0.updates.transfers = TransferUpdates() }
        driver.handle(.update(try after.update))
        #expect(Self.updates(driver).changedPaths == changed)
    }

    @Test func `the interface of a check is its own, or that of the path in its family`() throws {
        let driver = try Self.driver(["speed"])
        #expect(driver.egress(of: Vantage(interface: "wwan0")) == "wwan0")
        #expect(driver.egress(of: .default) == nil)
        driver.handle(.update(try Self.wired.update))
        let vantages = [Vantage.default, Vantage(families: .ipv4), Vantage(families: .ipv6)]
        #expect(vantages.map { driver.egress(of: $0) } == ["four0", "four0", "six0"])
    }

    @Test func `transfer progress is sent only on request, with its point`() throws {
        let wanted = Mutex<EventType?>(nil)
        let sent = Mutex<[Event]>([])
        let driver = try Self.driver(["speed"])
        let runner = ProbeRunner(limits: ScheduleLimits(), usageStore: nil) { _ in .steady }
        driver.connect(
            runner: runner,
            checkPublisher: CheckPublisher(
                origin: Self.origin,
                isWanted: { type in wanted.withLock { $0 == type } },
                send: { event in sent.withLock { $0.append(event) } }
            )
        )
        let point = ProbePoint(probe: "speed", vantage: Vantage(interface: "eth0"))
        let scheduled = try #require(driver.followed(driver.plan.schedule([point], costs: [:], nextHops: [:])).first)
        let publish = try #require(scheduled.probe.transfer?.progress)
        publish(TransferProgress(phase: .download, bytes: 5, totalBytes: 1000))
        wanted.withLock { $0 = .probeCompleted }
        publish(TransferProgress(phase: .download, bytes: 6, totalBytes: 1000))
        #expect(sent.withLock { $0.isEmpty })
        wanted.withLock { $0 = .probeProgress }
        publish(TransferProgress(phase: .download, bytes: 7, totalBytes: 1000))
        let events = sent.withLock { $0 }
        #expect(events.map(\.type) == [.probeProgress])
        let line = String(decoding: events.first?.line ?? [], as: UTF8.self)
        #expect(line.contains(#""interface":"eth0""#) && line.contains(#""bytes":7"#))
    }
}
