import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The built-in check of next hops, which has no part in the connectivity.
struct FirstHopTests {
    static let firstHop = ProbeRule(name: ProbeRule.firstHopName, isRequired: false, usesTLS: false, fall: 1, rise: 1)

    @Test func `there is a point for each uplink and family with a gateway`() {
        var run = MachineRun(ProbedMachineTests.web, Self.firstHop)
        let both = ScriptedNetwork(
            wlan0: ScriptedNetwork.Port(hasIPv6: true),
            wwan0: ScriptedNetwork.Port()
        )
        run.see(both, at: 0, isFirst: true)
        let points = run.machine.points.filter { $0.probe == ProbeRule.firstHopName }.map(\.description)
        #expect(points == ["first-hop@wlan0/ipv4", "first-hop@wlan0/ipv6", "first-hop@wwan0/ipv4"])
        let hops = run.machine.nextHops.map { "\($0.key) \($0.value)" }.sorted()
        #expect(
            hops == [
                "first-hop@wlan0/ipv4 192.0.3.1", "first-hop@wlan0/ipv6 fe80::1", "first-hop@wwan0/ipv4 192.0.4.1",
            ]
        )
        var moved = both
        moved.wlan0?.router = 254
        _ = run.machine.takeRechecks()
        run.see(moved, at: 100)
        #expect(run.machine.takeRechecks().map(\.description).contains("first-hop@wlan0/ipv4"))
        #expect(run.machine.nextHops.values.map(\.description).sorted() == ["192.0.3.254", "192.0.4.1", "fe80::254"])
    }

    @Test(arguments: ["s", "f"])
    func `a gateway's verdict is published, and changes neither the connectivity nor its reason`(
        _ outcome: Character
    ) {
        var run = MachineRun.connected(ProbedMachineTests.web, Self.firstHop)
        run.check(outcome, "first-hop@wlan0/ipv4", at: 1000)
        run.pass(to: 9000)
        #expect(run.takeWords() == ["first-hop@wlan0/ipv4 unknown→\(outcome == "s" ? "up" : "down")"])
        #expect(run.machine.state.connectivity == .full)
        #expect(run.machine.uplinks.map(\.connectivity) == [.unknown])
        #expect(run.machine.uplinks.map(\.reason) == [nil])
        // Nothing but the gateway answers: it is not beyond the first hop.
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 10_000 + step * 10) }
        run.pass(to: 19_000)
        #expect(run.machine.state.connectivity == .local)
        #expect(run.machine.state.connectivityReason?.probe == "web")
    }

    // MARK: - Evidence of the same time

    private static let hop = "first-hop@wlan0/ipv4"

    private static func words(_ from: String, _ to: String, over interface: String = "wlan0") -> String {
        "first-hop@\(interface)/ipv4 \(from)→\(to)"
    }

    @Test(
        arguments: [("s", ["unknown→up"]), ("f", ["unknown→down"]), ("b", ["unknown→unknown"])]
            as [(Character, [String])]
    )
    func `silence voids the verdict up of the gateway, and the next check is published whatever it finds`(
        _ outcome: Character,
        _ expected: [String]
    ) {
        var run = MachineRun.connected(ProbedMachineTests.web, Self.firstHop)
        run.check("s", Self.hop, at: 2000)
        for step in 0..<2 { run.check("f", "web@default/ipv4", at: 10_000 + step) }
        #expect(run.takeWords() == [Self.words("unknown", "up")])
        #expect(run.machine.takeDoubtedNextHops().isEmpty)
        run.check("f", "web@default/ipv4", at: 10_002)
        #expect(run.takeWords() == ["web@default/ipv4 up→down", Self.words("up", "unknown")])
        #expect(run.machine.takeDoubtedNextHops().map(\.description) == [Self.hop])
        #expect(run.machine.takeDoubtedNextHops().isEmpty)
        // The check under way is joined, not restarted.
        #expect(!run.machine.takeRechecks().map(\.description).contains(Self.hop))
        run.check(outcome, Self.hop, at: 10_500)
        #expect(run.takeWords() == expected.map { "\(Self.hop) \($0)" })
        // Once for each silence.
        run.check("f", "web@default/ipv4", at: 10_600)
        #expect(run.machine.takeDoubtedNextHops().isEmpty)
        #expect(!run.takeWords().contains { $0.hasPrefix("first-hop") })
    }

    /// The last change of the gateway's verdict.
    private static func lastChange(_ run: MachineRun) -> Change<ProbeState>? {
        run.transitions.reversed().lazy.compactMap { transition in
            guard case .probe(let point, let change) = transition, point.description == hop else { return nil }
            return change
        }
        .first
    }

    @Test func `the loss of the family that still worked is the beginning of a silence, too`() {
        var run = MachineRun(ProbeRule(name: "web"), Self.firstHop)
        let both = ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true))
        run.see(both, at: 0, isFirst: true)
        for point in ["web@default/ipv4", "web@default/ipv6", Self.hop] { run.check("s", point, at: 100) }
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 2000 + step) }
        run.pass(to: 9000)
        #expect(run.machine.state.connectivity == .partial)
        #expect(run.machine.takeDoubtedNextHops().isEmpty)
        _ = run.takeWords()
        run.see(ScriptedNetwork(), at: 10_000)
        #expect(run.takeWords().filter { $0.hasPrefix("first-hop") } == [Self.words("up", "unknown")])
        let cause = Self.lastChange(run)?.cause
        #expect(cause?.kind == .address || cause?.kind == .route)
        #expect(cause?.interface == "wlan0")
        #expect(run.machine.takeDoubtedNextHops().map(\.description) == [Self.hop])
        run.check("s", Self.hop, at: 10_500)
        #expect(run.takeWords() == [Self.words("unknown", "up")])
        // Once for each silence, whatever the next input is.
        run.see(ScriptedNetwork(), at: 10_600)
        run.check("f", "web@default/ipv4", at: 10_700)
        #expect(!run.takeWords().contains { $0.hasPrefix("first-hop") })
        #expect(run.machine.takeDoubtedNextHops().isEmpty)
    }

    @Test func `the removal of the probe that still worked is the beginning of a silence, too`() {
        var run = MachineRun.connected(ProbedMachineTests.web, ProbeRule(name: "api", families: .ipv4), Self.firstHop)
        run.check("s", "api@default/ipv4", at: 1500)
        run.check("s", Self.hop, at: 1600)
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 2000 + step) }
        run.pass(to: 9000)
        #expect(run.machine.state.connectivity == .partial)
        _ = run.takeWords()
        let fewer = MachineConfiguration(probes: [ProbedMachineTests.web, Self.firstHop])
        run.note(run.machine.configure(fewer, observed: ScriptedCheck.time(10_000)))
        #expect(run.takeWords().filter { $0.hasPrefix("first-hop") } == [Self.words("up", "unknown")])
        #expect(Self.lastChange(run)?.cause == .reload())
        #expect(run.machine.takeDoubtedNextHops().map(\.description) == [Self.hop])
    }

    @Test(arguments: [true, false])
    func `a silence that outlasts a suspend needs another verdict`(_ isSilent: Bool) {
        var run = MachineRun.connected(ProbedMachineTests.web, Self.firstHop)
        if isSilent { for step in 0..<3 { run.check("f", "web@default/ipv4", at: 2000 + step) } }
        run.check("s", Self.hop, at: 2500)
        run.pass(to: 9000)
        _ = run.takeWords()
        run.note(run.machine.resume(after: .seconds(60), observed: ScriptedCheck.time(70_000)))
        let expected = ["resumed after 60.0 seconds"] + (isSilent ? [Self.words("up", "unknown")] : [])
        #expect(run.takeWords() == expected)
        #expect(run.machine.takeRechecks().map(\.description).contains(Self.hop))
        run.check("s", Self.hop, at: 70_100)
        #expect(run.takeWords() == (isSilent ? [Self.words("unknown", "up")] : []))
    }

    @Test func `a gateway that is down stays down, and is checked again`() {
        var run = MachineRun.connected(ProbedMachineTests.web, Self.firstHop)
        run.check("f", Self.hop, at: 2000)
        _ = run.takeWords()
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 10_000 + step) }
        #expect(run.takeWords() == ["web@default/ipv4 up→down"])
        #expect(run.machine.takeDoubtedNextHops().map(\.description) == [Self.hop])
    }

    @Test(arguments: [("default", "wlan0"), ("wwan0", "wwan0")])
    func `silence concerns the gateways of its own uplink`(_ vantage: String, _ interface: String) {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each, families: .ipv4), Self.firstHop)
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(), wwan0: ScriptedNetwork.Port()), at: 0, isFirst: true)
        for point in run.machine.points { run.check("s", point.description, at: 100) }
        run.pass(to: 5000)
        _ = run.takeWords()
        for step in 0..<3 { run.check("f", "web@\(vantage)/ipv4", at: 6000 + step) }
        let hops = run.takeWords().filter { $0.hasPrefix("first-hop") }
        #expect(hops == [Self.words("up", "unknown", over: interface)])
    }

    @Test(arguments: [("s", "up"), ("f", "down")] as [(Character, String)])
    func `the verdict ends with the gateway, and a blip of the route does not end it`(
        _ outcome: Character,
        _ verdict: String
    ) {
        var run = MachineRun.connected(ProbedMachineTests.web, Self.firstHop)
        run.check(outcome, Self.hop, at: 2000)
        _ = run.takeWords()
        var blip = ScriptedNetwork()
        blip.wlan0?.hasRoute = false
        run.see(blip, at: 3000)
        run.see(ScriptedNetwork(), at: 3100)
        run.check(outcome, Self.hop, at: 3200)
        run.pass(to: 9000)
        #expect(!run.takeWords().contains { $0.hasPrefix("first-hop") })
        var moved = ScriptedNetwork()
        moved.wlan0?.router = 254
        run.see(moved, at: 10_000)
        #expect(run.takeWords().filter { $0.hasPrefix("first-hop") } == [Self.words(verdict, "unknown")])
        run.check(outcome, Self.hop, at: 10_100)
        #expect(run.takeWords().filter { $0.hasPrefix("first-hop") } == [Self.words("unknown", verdict)])
    }

    @Test(arguments: ["s", "f"] as [Character])
    func `an address of its interface that comes or goes leaves the verdict on a gateway`(_ outcome: Character) {
        let plain = ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)).snapshot
        let addresses = [(1, "2001:db8:1::1"), (3, "fe80::9")].map { index, address in
            InterfaceAddress(interfaceIndex: index, address: ScriptedNetwork.address(address), prefixLength: 64)
        }
        func update(isNumbered: Bool, at milliseconds: Int) -> NetworkUpdate {
            let snapshot = NetworkSnapshot(
                links: Array(plain.links.values),
                addresses: addresses + plain.addresses.filter { isNumbered || $0.address.family == .ipv4 },
                defaultRoutes: plain.defaultRoutes,
                lookups: Array(plain.lookups.values),
                internetAddresses: plain.internetAddresses
            )
            return NetworkUpdate(snapshot: snapshot, changes: [], observed: ScriptedCheck.time(milliseconds))
        }
        var run = MachineRun(Self.firstHop)
        run.note(run.machine.handle(update(isNumbered: false, at: 0)))
        run.check(outcome, "first-hop@wlan0/ipv6", at: 100)
        #expect(Self.hopWords(&run).count == 1)
        for (isNumbered, moment) in [(true, 1000), (false, 10_000)] {
            run.note(run.machine.handle(update(isNumbered: isNumbered, at: moment)))
            run.pass(to: moment + 8000)
        }
        #expect(Self.hopWords(&run).isEmpty)
    }

    /// A machine in a silence whose gateway is being checked, or whose check ended with a letter.
    private static func doubted(_ outcome: Character?) -> MachineRun {
        var run = MachineRun.connected(ProbedMachineTests.web, firstHop)
        run.check("s", hop, at: 2000)
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 10_000 + step) }
        if let outcome { run.check(outcome, hop, at: 10_500) }
        _ = run.takeWords()
        return run
    }

    private static func hopWords(_ run: inout MachineRun) -> [String] {
        run.takeWords().filter { $0.hasPrefix("first-hop") }
    }

    @Test(arguments: [(nil, true), (nil, false), ("b", true), ("b", false)] as [(Character?, Bool)])
    func `a gateway that goes before its check is complete, or after an unclear one, leaves an event, and a blip none`(
        _ outcome: Character?,
        _ isInterfaceRemoved: Bool
    ) {
        var run = Self.doubted(outcome)
        var gone = ScriptedNetwork()
        if isInterfaceRemoved { gone.wlan0 = nil } else { gone.wlan0?.hasRoute = false }
        run.see(gone, at: 11_000)
        run.see(ScriptedNetwork(), at: 11_100)
        run.pass(to: 19_000)
        #expect(Self.hopWords(&run).isEmpty)
        run.see(gone, at: 20_000)
        run.pass(to: 29_000)
        #expect(Self.hopWords(&run) == [Self.words("unknown", "unknown")])
        let end = Self.lastChange(run)
        #expect(end?.to == .unknown)
        #expect(end?.cause.code == ReasonCode.noRoute.rawValue)
        // Once, until there is another verdict.
        run.see(ScriptedNetwork(), at: 30_000)
        run.see(gone, at: 40_000)
        run.pass(to: 49_000)
        #expect(Self.hopWords(&run).isEmpty)
        run.see(ScriptedNetwork(), at: 50_000)
        run.check("s", Self.hop, at: 50_100)
        #expect(Self.hopWords(&run) == [Self.words("unknown", "up")])
    }

    @Test func `the check of gateways that is no longer configured ends a pending one`() {
        var run = Self.doubted(nil)
        let fewer = MachineConfiguration(probes: [ProbedMachineTests.web])
        run.note(run.machine.configure(fewer, observed: ScriptedCheck.time(11_000)))
        #expect(Self.hopWords(&run) == [Self.words("unknown", "unknown")])
        #expect(Self.lastChange(run)?.cause == .reload(interface: "wlan0"))
    }

    @Test func `a gateway is not behind the portal of its uplink`() {
        let portal = ProbeRule(
            name: "portal",
            isRequired: false,
            isPortalCheck: true,
            usesTLS: false,
            interfaces: .each,
            families: .ipv4
        )
        var run = MachineRun(portal, Self.firstHop)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        for step in 0..<2 { run.check("P", "portal@wlan0/ipv4", at: 100 + step) }
        run.check("s", Self.hop, at: 200)
        #expect(run.takeWords().last == Self.words("unknown", "up"))
        run.check("f", Self.hop, at: 300)
        #expect(run.takeWords().last == Self.words("up", "down"))
        _ = run.machine.takeRechecks()
        run.check("O", "portal@wlan0/ipv4", at: 400)
        #expect(!run.machine.takeRechecks().map(\.description).contains(Self.hop))
    }

    @Test func `of several gateways of an uplink, the one that the kernel chose is checked`() throws {
        let plain = ScriptedNetwork().snapshot
        let prefix = try #require(IPPrefix(address: .unspecified(.ipv4), length: 0))
        let routes = [254, 1].map { router in
            let hop = NextHop(interfaceIndex: 3, gateway: ScriptedNetwork.address("192.0.3.\(router)"))
            return Route(destination: prefix, metric: 100, nextHops: [hop])
        }
        let snapshot = NetworkSnapshot(
            links: Array(plain.links.values),
            addresses: plain.addresses,
            defaultRoutes: routes,
            lookups: Array(plain.lookups.values),
            internetAddresses: plain.internetAddresses
        )
        let vantages = Vantages(snapshot)
        #expect(vantages.uplinks.first?.egresses.ipv4?.gateway == ScriptedNetwork.address("192.0.3.1"))
        #expect(vantages.uplinks.first?.egresses == vantages.defaults)
    }
}
