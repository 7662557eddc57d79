import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// A machine that is suspended, reconfigured, or flapping.
struct MachineInterruptionTests {
    static let web = ProbeRule(name: "web")

    @Test("a suspended machine keeps its verdicts, restarts settling and rechecks everything")
    func suspend() {
        var run = MachineRun.connected(Self.web)
        run.check("f", "web@default/ipv4", at: 2000)
        run.check("f", "web@default/ipv4", at: 2010)
        run.note(run.machine.resume(after: .seconds(3600), observed: ScriptedCheck.time(3_602_000)))
        #expect(run.takeWords() == ["resumed after 3600.0 seconds"])
        #expect(run.machine.takeRechecks().map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.probes.map(\.isStale) == [true])
        run.check("f", "web@default/ipv4", at: 3_602_100)
        #expect(run.machine.state.connectivity == .full)
        #expect(run.takeWords().isEmpty)
    }

    @Test("a loss that started before the machine was suspended must settle again")
    func suspendedLoss() {
        var run = MachineRun.connected(Self.web)
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        run.note(run.machine.resume(after: .seconds(60), observed: ScriptedCheck.time(62_000)))
        #expect(run.takeWords() == ["path wifi→none", "resumed after 60.0 seconds"])
        run.pass(to: 62_999)
        #expect(run.takeWords().isEmpty)
        run.pass(to: 63_000)
        #expect(run.takeWords() == ["web@default/ipv4 up→unknown", "wifi/full→none/none link link_removed"])
    }

    @Test("a reload keeps the verdicts of unchanged rules and resets the others")
    func reload() {
        let mail = ProbeRule(name: "mail", isRequired: false)
        var run = MachineRun.connected(Self.web, mail)
        run.check("s", "mail@default/ipv4", at: 1000)
        _ = run.takeWords()
        let changed = ProbeRule(name: "mail", isRequired: false, fall: 9)
        run.note(
            run.machine.configure(
                MachineConfiguration(probes: [Self.web, changed, ProbeRule(name: "new")]),
                observed: ScriptedCheck.time(2000)
            )
        )
        #expect(run.takeWords().isEmpty)
        #expect(run.machine.probes.map(\.state.verdict) == [.unknown, .unknown, .up])
        #expect(run.machine.takeRechecks().map(\.probe) == ["mail", "new"])
        run.note(run.machine.configure(MachineConfiguration(), observed: ScriptedCheck.time(3000)))
        run.pass(to: 9000)
        #expect(
            run.takeWords() == [
                "mail@default/ipv4 up→unknown", "web@default/ipv4 up→unknown",
                "wifi/full→wifi/unknown configuration config_reloaded",
            ]
        )
        #expect(run.machine.points.isEmpty)
    }

    @Test func `the end of a network's announcement is not a reload, and the end of a probe is one`() {
        var run = MachineRun.connected(Self.web, ProbeRule(name: "portal-api.wlan0", isRequired: false))
        run.check("s", "portal-api.wlan0@default/ipv4", at: 1000)
        _ = run.takeWords()
        run.transitions = []
        func causes() -> [ChangeCause] {
            run.transitions.compactMap { if case .probe(_, let change) = $0 { change.cause } else { nil } }
        }
        let others = MachineConfiguration(probes: [Self.web])
        run.note(run.machine.configure(others, observed: ScriptedCheck.time(2000), isAnnouncement: true))
        #expect(run.takeWords() == ["portal-api.wlan0@default/ipv4 up→unknown"])
        #expect(causes().map(\.kind) == [.probe] && causes().map(\.code) == ["probe_unknown"])
        run.transitions = []
        run.note(run.machine.configure(MachineConfiguration(), observed: ScriptedCheck.time(3000)))
        #expect(causes().map(\.kind) == [.configuration] && causes().map(\.code) == ["config_reloaded"])
    }

    @Test("a reload keeps unchanged targets")
    func reloadTargets() {
        let office = Target(name: "office", address: ScriptedNetwork.internet[0])
        let home = Target(name: "home", address: ScriptedNetwork.internet[1])
        var run = MachineRun(MachineConfiguration(targets: [office]))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        _ = run.takeWords()
        run.note(
            run.machine.configure(MachineConfiguration(targets: [home, office]), observed: ScriptedCheck.time(10))
        )
        #expect(run.machine.targetPaths.map(\.state.via) == [.none, .wifi])
        #expect(run.takeWords() == ["path home unknown→none", "target home unknown→none"])
        run.see(ScriptedNetwork(), at: 1000)
        #expect(run.takeWords().isEmpty)
    }

    @Test("a target that a reload renames has its state at once, as the monitor is not restarted for a known address")
    func reloadRenamesTarget() {
        let address = ScriptedNetwork.internet[0]
        var run = MachineRun(MachineConfiguration(targets: [Target(name: "office", address: address)]))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        _ = run.takeWords()
        let renamed = MachineConfiguration(targets: [Target(name: "site", address: address)])
        run.note(run.machine.configure(renamed, observed: ScriptedCheck.time(10)))
        #expect(run.takeWords() == ["path site unknown→wifi", "target site unknown→wifi"])
        #expect(run.machine.targetPaths.map(\.state.via) == [.wifi])
    }

    @Test("a target that a reload adds is unknown until its address is looked up")
    func reloadAddsUnknownAddress() {
        var run = MachineRun(MachineConfiguration())
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        _ = run.takeWords()
        let office = Target(name: "office", address: ScriptedNetwork.address("192.0.2.7"))
        run.note(run.machine.configure(MachineConfiguration(targets: [office]), observed: ScriptedCheck.time(10)))
        #expect(run.takeWords().isEmpty)
        #expect(run.machine.targetPaths.map(\.state.via) == [.unknown])
    }

    @Test("the first state of a target added by a reload is caused by the configuration, not by a start")
    func reloadAddsTarget() {
        let office = Target(name: "office", address: ScriptedNetwork.internet[0])
        var run = MachineRun(MachineConfiguration())
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.note(
            run.machine.configure(MachineConfiguration(targets: [office]), observed: ScriptedCheck.time(10))
        )
        // The monitor is restarted for the new address, and its first view has no changes.
        run.see(ScriptedNetwork(), at: 20, isFirst: true)
        let causes = run.transitions.compactMap { transition -> ChangeCause? in
            if case .target(_, let change) = transition { change.cause } else { nil }
        }
        #expect(causes.map(\.kind) == [.configuration])
        #expect(causes.map(\.code) == ["config_reloaded"])
    }

    @Test func `a target that a reload adds has its state at the first lookup, also after a view without one`() {
        let office = Target(name: "office", address: ScriptedNetwork.address("192.0.2.7"))
        var run = MachineRun(MachineConfiguration())
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.note(run.machine.configure(MachineConfiguration(targets: [office]), observed: ScriptedCheck.time(10)))
        _ = run.takeWords()
        // The former monitor does not look the address up, and sends a view before it is replaced.
        let network = ScriptedNetwork(wwan0: ScriptedNetwork.Port())
        run.see(network, at: 15)
        #expect(run.takeWords().isEmpty)
        let plain = network.snapshot
        let route = ResolvedRoute(interfaceIndex: 3, source: ScriptedNetwork.address("192.0.3.9"))
        let snapshot = NetworkSnapshot(
            links: Array(plain.links.values),
            addresses: plain.addresses,
            defaultRoutes: plain.defaultRoutes,
            lookups: plain.lookups.values + [RouteLookup(destination: office.address, outcome: .route(route))],
            internetAddresses: plain.internetAddresses
        )
        let first = NetworkUpdate(snapshot: snapshot, changes: [], observed: ScriptedCheck.time(20))
        run.note(run.machine.handle(first))
        #expect(run.takeWords() == ["path office unknown→wifi", "target office unknown→wifi"])
        #expect(run.machine.targetPaths.map(\.state.via) == [.wifi])
    }

    @Test("a reload with another settle policy takes effect at once")
    func reloadSettle() {
        var run = MachineRun.connected(Self.web)
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        _ = run.takeWords()
        let configuration = MachineConfiguration(settle: .none, probes: [Self.web])
        run.note(run.machine.configure(configuration, observed: ScriptedCheck.time(2010)))
        #expect(run.takeWords() == ["web@default/ipv4 up→unknown", "wifi/full→none/none link link_removed"])
    }

    @Test("a state that changes too often flaps, is still published, and stops flapping by its own timer")
    func flaps() throws {
        var run = MachineRun.connected(Self.web)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        for step in 0..<4 {
            run.see(down, at: 2000 + step * 4000)
            run.see(ScriptedNetwork(), at: 4000 + step * 4000)
            run.check("s", "web@default/ipv4", at: 4010 + step * 4000)
        }
        let words = run.takeWords()
        #expect(words.filter { $0.hasPrefix("path") }.count == 8)
        #expect(words.filter { $0.hasSuffix("flapping flapping_started") }.count == 1)
        run.pass(to: 17_000)
        #expect(run.machine.state.isFlapping)
        let deadline = try #require(run.machine.deadline)
        #expect(deadline > ScriptedCheck.time(20_000).instant)
        run.pass(to: 400_000)
        #expect(run.takeWords().last == "wifi/full!→wifi/full flapping flapping_stopped")
        #expect(run.machine.deadline == nil)
    }

    @Test("a quick verdict after the first view is not an edge, and infrequent roams do not count as flapping")
    func seldom() {
        var run = MachineRun.connected(Self.web)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        for step in 1..<50 {
            run.see(down, at: step * 120_000)
            run.see(ScriptedNetwork(), at: step * 120_000 + 85)
            run.check("s", "web@default/ipv4", at: step * 120_000 + 300)
        }
        let words = run.takeWords()
        #expect(words.count == 2 * 49)
        #expect(words.allSatisfy { $0.hasPrefix("path") })
    }
}
