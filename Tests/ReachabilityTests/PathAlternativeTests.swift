import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// A preferred path that is dead while another uplink works.
struct PathAlternativeTests {
    private static let wlan0 = PathInterface(index: 3, name: "wlan0", kind: .wifi)
    private static let wwan0 = PathInterface(index: 4, name: "wwan0", kind: .wwan)

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var reason: ReasonCode? = .linkDown
        var connectivity = Connectivity.none
        var standby = Connectivity.full
        var code: String?
        var isBoundOnly = false
        var isProven = true
        var isRefused = false
        let isFound: Bool
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "no carrier, a standby that is full", isFound: true),
        Case(name: "no carrier, a standby that answers in part", standby: .partial, isFound: true),
        Case(name: "no carrier, a standby that is not probed", standby: .unknown, isFound: true),
        Case(name: "no carrier, a standby with a silent probe", standby: .unknown, code: "dns_timeout", isFound: false),
        Case(
            name: "no carrier, a standby that was not checked",
            standby: .unknown,
            code: "budget_exhausted",
            isFound: true
        ),
        Case(
            name: "no carrier, a standby whose answers this machine discards while it is not preferred",
            standby: .unknown,
            code: "reverse_path_filter",
            isFound: true
        ),
        Case(
            name: "no carrier, a standby that this machine's firewall closes",
            standby: .unknown,
            code: "local_firewall",
            isFound: false
        ),
        Case(name: "no carrier, a standby without carrier", standby: .none, code: "link_down", isFound: false),
        Case(name: "no carrier, a standby behind a portal", standby: .portal, code: "portal_redirect", isFound: false),
        Case(name: "no carrier, a standby behind a kill switch", standby: .unknown, isRefused: true, isFound: false),
        Case(name: "no carrier, a standby behind a kill switch that is full", isRefused: true, isFound: true),
        Case(name: "no carrier, an interface without a default route", isBoundOnly: true, isFound: false),
        Case(name: "no address", reason: .noAddress, isFound: true),
        Case(name: "a default route into a dummy device", reason: .leadsNowhere, isFound: false),
        Case(name: "nothing answers, a standby that is full", reason: nil, connectivity: .local, isFound: true),
        Case(
            name: "nothing answers, a standby that was full before",
            reason: nil,
            connectivity: .local,
            isProven: false,
            isFound: false
        ),
        Case(name: "no carrier, a standby that was full before", isProven: false, isFound: true),
        Case(
            name: "nothing answers, a standby that is not probed",
            reason: nil,
            connectivity: .local,
            standby: .unknown,
            isFound: false
        ),
        Case(name: "something answers", reason: nil, connectivity: .partial, isFound: false),
        Case(name: "a captive portal", reason: nil, connectivity: .portal, isFound: false),
        Case(name: "everything answers", reason: nil, connectivity: .full, isFound: false),
    ]

    @Test("there is an alternative where the table says so", arguments: cases)
    func table(_ one: Case) {
        let path = Path(via: one.reason == nil ? .wifi : .none, interface: Self.wlan0, reason: one.reason)
            .marking(isFamilyUnused: false, unreachedUplinks: one.isRefused ? [Self.wwan0.index] : [])
        let state = ReachabilityState(
            ipv4: path,
            ipv6: Path(via: .none, reason: .noRoute),
            connectivity: one.connectivity
        )
        let uplinks = [
            Uplink(interface: Self.wlan0, connectivity: .full, isUsed: true),
            Uplink(
                interface: Self.wwan0,
                connectivity: one.standby,
                reason: one.code.map { ConnectivityReason(code: $0) },
                isUsed: false,
                isBoundOnly: one.isBoundOnly
            ),
        ]
        let found = PathAlternative(to: state, among: uplinks, proven: one.isProven ? ["wwan0"] : [])
        #expect(found == (one.isFound ? PathAlternative(preferred: Self.wlan0, interface: Self.wwan0) : nil))
        #expect(found?.code ?? .preferredPathDead == .preferredPathDead)
    }

    @Test("without any route, or before the kernel has answered, nothing is preferred")
    func nothingPreferred() {
        let uplinks = [Uplink(interface: Self.wwan0, connectivity: .full, isUsed: false)]
        for state in [
            ReachabilityState.unknown,
            ReachabilityState(ipv4: Path(via: .none, reason: .noRoute), ipv6: Path(via: .none, reason: .noRoute)),
        ] {
            #expect(PathAlternative(to: state, among: uplinks, proven: ["wwan0"]) == nil)
        }
    }

    /// A Wi-Fi in use and a modem beside it, with a kernel that goes by metrics alone.
    private static var both: ScriptedNetwork {
        var network = ScriptedNetwork(wwan0: ScriptedNetwork.Port())
        network.prefersDead = true
        return network
    }

    @Test("the loss of the preferred path names the standby at once, whose loss and return change the state")
    func loss() {
        var run = MachineRun(MachineConfiguration())
        var network = Self.both
        run.see(network, at: 0, isFirst: true)
        _ = run.takeWords()
        network.wlan0?.isUp = false
        run.see(network, at: 1000)
        run.pass(to: 5000)
        #expect(run.takeWords() == ["path wifi→none", "wifi/unknown→none/none|wwan0 link link_down"])
        network.wwan0?.isUp = false
        run.see(network, at: 6000)
        run.pass(to: 9000)
        #expect(run.takeWords() == ["none/none|wwan0→none/none link link_down"])
        network.wwan0?.isUp = true
        run.see(network, at: 10_000)
        run.pass(to: 15_000)
        #expect(run.takeWords() == ["none/none→none/none|wwan0 link link_up"])
        // An administrator prefers the modem.
        network.preferred = .wwan0
        run.see(network, at: 16_000)
        run.pass(to: 20_000)
        #expect(run.takeWords() == ["path none→wwan", "none/none|wwan0→wwan/unknown route route_removed"])
    }

    /// A network whose preferred route is in a table of its own, which perhaps ends in a blackhole.
    private static func update(_ network: ScriptedNetwork, isClosed: Bool, at milliseconds: Int) -> NetworkUpdate {
        let plain = network.snapshot
        let own: UInt32 = 60
        let routes = plain.defaultRoutes.map { route in
            let table = route.metric == 100 ? own : Route.mainTable
            return Route(destination: route.destination, table: table, metric: route.metric, nextHops: route.nextHops)
        }
        let blackhole = Route(destination: .everything(.ipv4), table: own, type: .blackhole, metric: 1000)
        let snapshot = NetworkSnapshot(
            links: plain.links.values.map { $0 },
            addresses: plain.addresses,
            defaultRoutes: (isClosed ? [blackhole] : []) + routes,
            rules: [(600, own), (32766, Route.mainTable)].map {
                RoutingRule(family: .ipv4, priority: $0, table: $1)
            },
            lookups: plain.lookups.values.map { $0 },
            internetAddresses: plain.internetAddresses
        )
        return NetworkUpdate(snapshot: snapshot, changes: [], observed: ScriptedCheck.time(milliseconds))
    }

    @Test func `there is no alternative behind a kill switch, until that opens`() {
        var run = MachineRun(MachineConfiguration())
        var network = Self.both
        run.note(run.machine.handle(Self.update(network, isClosed: true, at: 0)))
        _ = run.takeWords()
        network.wlan0?.isUp = false
        run.note(run.machine.handle(Self.update(network, isClosed: true, at: 1000), isCorrection: true))
        run.pass(to: 5000)
        #expect(run.takeWords().last?.hasPrefix("wifi/unknown→none/none ") == true)
        #expect(run.machine.state.alternative == nil)
        run.note(run.machine.handle(Self.update(network, isClosed: false, at: 6000), isCorrection: true))
        run.pass(to: 9000)
        #expect(run.takeWords().count == 1)
        #expect(run.machine.state.alternative?.interface == Self.wwan0)
        run.note(run.machine.handle(Self.update(network, isClosed: true, at: 10_000), isCorrection: true))
        run.pass(to: 15_000)
        #expect(run.takeWords().count == 1)
        #expect(run.machine.state.alternative == nil)
    }

    @Test(arguments: [
        PathInterface(index: 9, name: "wwan0", kind: .wwan), PathInterface(index: 4, name: "wwan0", kind: .wired),
        PathInterface(index: 4, name: "wwan0", kind: .wwan, kindIsGuess: true),
    ])
    func `another index or kind of the alternative's interface is no change of the state`(interface: PathInterface) {
        var settler = StateSettler(policy: .standard)
        let observed = ScriptedCheck.time(0)
        _ = settler.observe(
            ipv4: Path(via: .none, interface: Self.wlan0, reason: .linkDown),
            ipv6: Path(via: .none, reason: .noRoute),
            verdict: .unknown,
            cause: .start,
            observed: observed
        )
        let old = Uplink(interface: Self.wwan0, connectivity: .unknown, isUsed: false)
        let new = Uplink(interface: interface, connectivity: .unknown, isUsed: false)
        let first = settler.follow([Change(from: old.absent, to: old, cause: .start, observed: observed)], to: [old])
        #expect(first?.to.alternative?.interface == Self.wwan0)
        let second = settler.follow([Change(from: old, to: new, cause: .start, observed: observed)], to: [new])
        #expect(second == nil)
        #expect(settler.settled.alternative?.interface == interface)
    }

    @Test("uplinks lost together are one change, without an alternative")
    func lostTogether() {
        var run = MachineRun(MachineConfiguration())
        var network = Self.both
        run.see(network, at: 0, isFirst: true)
        _ = run.takeWords()
        network.wlan0?.isUp = false
        network.wwan0?.isUp = false
        run.see(network, at: 1000)
        run.pass(to: 9000)
        #expect(run.takeWords() == ["path wifi→none", "wifi/unknown→none/none link link_down"])
        let paths = run.transitions.compactMap { transition -> Change<ReachabilityState>? in
            if case .path(let change) = transition { change } else { nil }
        }
        #expect(paths.count == 2)
        #expect(paths.allSatisfy { $0.from.alternative == nil && $0.to.alternative == nil })
        #expect(run.machine.deadline == nil)
    }

    @Test("a path behind which nothing answers has the standby as its alternative once a check over that succeeds")
    func local() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        run.see(Self.both, at: 0, isFirst: true)
        for point in ["web@default/ipv4", "web@wlan0/ipv4", "web@wwan0/ipv4"] { run.check("s", point, at: 100) }
        run.pass(to: 5000)
        _ = (run.takeWords(), run.machine.takeRechecks())
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 6000 + step) }
        #expect(run.machine.takeRechecks().map(\.description) == ["web@wwan0/ipv4"])
        run.pass(to: 9000)
        #expect(run.takeWords().last == "wifi/full→wifi/local probe connect_timeout")
        run.check("b", "web@wwan0/ipv4", at: 9100)
        run.pass(to: 9500)
        #expect(run.takeWords() == [])
        run.check("s", "web@wwan0/ipv4", at: 9600)
        #expect(run.takeWords() == ["wifi/local→wifi/local|wwan0 probe probe_up"])
        #expect(run.machine.takeRechecks() == [])
        for step in 0..<3 { run.check("f", "web@wwan0/ipv4", at: 10_000 + step) }
        run.pass(to: 15_000)
        #expect(run.takeWords().last == "wifi/local|wwan0→wifi/local probe connect_timeout")
    }

    @Test func `a success at this machine itself, bound to the standby, proves nothing about it`() throws {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        run.see(Self.both, at: 0, isFirst: true)
        for point in ["web@default/ipv4", "web@wlan0/ipv4", "web@wwan0/ipv4"] { run.check("s", point, at: 100) }
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 6000 + step) }
        run.pass(to: 9000)
        #expect(run.takeWords().last == "wifi/full→wifi/local probe connect_timeout")
        let standby = try #require(run.machine.points.first { "\($0)" == "web@wwan0/ipv4" })
        var sample = ScriptedCheck.sample("s", at: 9600, point: standby)
        sample.leadsToThisMachine = true
        run.note(run.machine.handle(sample).transitions)
        #expect(run.takeWords() == [])
        run.check("s", "web@wwan0/ipv4", at: 9700)
        #expect(run.takeWords() == ["wifi/local→wifi/local|wwan0 probe probe_up"])
    }

    @Test func `a success over the standby during one silence proves nothing in the next`() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        run.see(Self.both, at: 0, isFirst: true)
        for point in ["web@default/ipv4", "web@wlan0/ipv4", "web@wwan0/ipv4"] { run.check("s", point, at: 100) }
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 6000 + step) }
        run.check("s", "web@wwan0/ipv4", at: 6100)
        run.pass(to: 9000)
        #expect(run.takeWords().last == "wifi/full→wifi/local|wwan0 probe connect_timeout")
        for step in 0..<2 { run.check("s", "web@default/ipv4", at: 9000 + step) }
        run.pass(to: 12_000)
        _ = (run.takeWords(), run.machine.takeRechecks())
        // The uplink may be metered: its next check is that of its own interval.
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 12_000 + step) }
        #expect(run.machine.takeRechecks() == [])
        run.pass(to: 15_000)
        #expect(run.takeWords().last == "wifi/full→wifi/local probe connect_timeout")
        for step in 0..<2 { run.check("s", "web@default/ipv4", at: 15_000 + step) }
        run.pass(to: 320_000)
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 320_000 + step) }
        #expect(run.machine.takeRechecks().map(\.description) == ["web@wwan0/ipv4"])
    }

    @Test(arguments: ["a", "z"])
    func `a fault that closes the standby counts, whatever the order of the probes`(unchecked: String) {
        var run = MachineRun(ProbeRule(name: unchecked, interfaces: .each), ProbeRule(name: "m", interfaces: .each))
        var network = Self.both
        run.see(network, at: 0, isFirst: true)
        for step in 0..<3 {
            run.check("b", "\(unchecked)@wwan0/ipv4", at: 100 + step)
            run.check("r", "m@wwan0/ipv4", at: 200 + step)
        }
        run.pass(to: 5000)
        network.wlan0?.isUp = false
        run.see(network, at: 6000)
        run.pass(to: 12_000)
        #expect(run.takeWords().last == "wifi/unknown→none/none link link_down")
    }
}
