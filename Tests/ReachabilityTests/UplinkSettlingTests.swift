import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The uplinks: what is published of them, and of the probes that are bound to them.
struct UplinkSettlingTests {
    static let both = ScriptedNetwork(wwan0: .init())

    /// A machine with a used Wi-Fi and a standby modem, both full.
    private func connected() -> MachineRun {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        run.see(Self.both, at: 0, isFirst: true)
        for point in ["web@default/ipv4", "web@wlan0/ipv4", "web@wwan0/ipv4"] { run.check("s", point, at: 100) }
        run.pass(to: 5000)
        _ = run.takeWords()
        run.uplinkWords = []
        return run
    }

    @Test("the first verdicts of the uplinks are published, active or standby")
    func first() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        run.see(Self.both, at: 0, isFirst: true)
        #expect(run.uplinkWords.isEmpty)
        #expect(run.machine.uplinks.map(\.interface.name) == ["wlan0", "wwan0"])
        run.check("s", "web@wlan0/ipv4", at: 100)
        run.check("s", "web@wwan0/ipv4", at: 110)
        run.pass(to: 5000)
        #expect(run.uplinkWords == ["wlan0*/unknown→wlan0*/full probe_up", "wwan0/unknown→wwan0/full probe_up"])
    }

    private func uplink(_ name: String, index: UInt32) -> Uplink {
        let interface = PathInterface(index: index, name: name, kind: .wifi)
        return Uplink(interface: interface, connectivity: .unknown, isUsed: true)
    }

    @Test("an uplink that is removed and created again in time has never been gone, whatever its index")
    func createdAgain() {
        var settler = UplinkSettler(policy: .standard)
        var changes: [Change<Uplink>] = []
        for (milliseconds, uplinks) in [(0, [uplink("wg0", index: 5)]), (100, []), (250, [uplink("wg0", index: 3)])] {
            changes += settler.observe(uplinks, observed: ScriptedCheck.time(milliseconds)) { _ in .start }
        }
        changes += settler.tick(at: ScriptedCheck.time(10_000).instant)
        #expect(changes.allSatisfy { $0.to == uplink("wg0", index: 3) })
        #expect(settler.settled == [uplink("wg0", index: 3)])
    }

    @Test("a renamed uplink is gone under its old name")
    func renamed() {
        var settler = UplinkSettler(policy: .standard)
        _ = settler.observe([uplink("eth0", index: 3)], observed: ScriptedCheck.time(0)) { _ in .start }
        var changes = settler.observe([uplink("lan0", index: 3)], observed: ScriptedCheck.time(100)) { _ in .start }
        changes += settler.tick(at: ScriptedCheck.time(10_000).instant)
        #expect(Set(changes.map(\.to)) == [uplink("eth0", index: 3).absent, uplink("lan0", index: 3)])
        #expect(settler.settled == [uplink("lan0", index: 3)])
    }

    @Test("a standby that loses its carrier is published after the settle time for losses, as is its probe's end")
    func standbyLink() {
        var run = connected()
        var network = Self.both
        network.wwan0?.isUp = false
        run.see(network, at: 6000)
        run.pass(to: 6999)
        #expect(run.uplinkWords.isEmpty)
        run.pass(to: 7000)
        #expect(run.uplinkWords == ["wwan0/full→wwan0/none link_down link_down"])
        #expect(run.takeWords() == ["web@wwan0/ipv4 up→unknown"])
        #expect(run.machine.state.connectivity == .full)
        #expect(run.machine.uplinks.map(\.connectivity) == [.full, .none])
        run.see(Self.both, at: 8000)
        run.check("s", "web@wwan0/ipv4", at: 8100)
        run.pass(to: 20_000)
        #expect(run.uplinkWords.last == "wwan0/none link_down→wwan0/full probe_up")
        #expect(run.takeWords() == ["web@wwan0/ipv4 unknown→up"])
        #expect(run.machine.deadline == nil)
    }

    @Test("a standby whose probe fails is published")
    func standbyProbe() {
        var run = connected()
        for step in 0..<3 { run.check("f", "web@wwan0/ipv4", at: 6000 + step) }
        run.pass(to: 20_000)
        #expect(run.uplinkWords == ["wwan0/full→wwan0/local connect_timeout connect_timeout"])
        #expect(run.machine.state.connectivity == .full)
    }

    @Test("a standby that blips is not published, and neither is its probe")
    func blip() {
        var run = connected()
        var network = Self.both
        network.wwan0?.isUp = false
        run.see(network, at: 6000)
        run.see(Self.both, at: 6002)
        run.check("s", "web@wwan0/ipv4", at: 6500)
        run.pass(to: 60_000)
        #expect(run.uplinkWords.isEmpty)
        #expect(run.takeWords().isEmpty)
    }

    @Test("a vanished uplink is published without a route and forgotten; a new one was without a route before")
    func vanishes() {
        var run = connected()
        run.see(ScriptedNetwork(), at: 6000)
        run.pass(to: 10_000)
        #expect(run.uplinkWords == ["wwan0/full→wwan0/none no_route link_removed"])
        #expect(run.takeWords() == ["web@wwan0/ipv4 up→unknown"])
        #expect(run.machine.uplinks.map(\.interface.name) == ["wlan0"])
        run.see(Self.both, at: 11_000)
        run.check("s", "web@wwan0/ipv4", at: 11_050)
        run.pass(to: 20_000)
        #expect(run.uplinkWords.last == "wwan0/none no_route→wwan0/full probe_up")
        #expect(run.takeWords() == ["web@wwan0/ipv4 unknown→up"])
    }

    @Test("an interface that only a probe is bound to is a separate uplink")
    func bound() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .matching(["wwan0"])))
        var network = Self.both
        network.wwan0?.hasRoute = false
        run.see(network, at: 0, isFirst: true)
        run.check("s", "web@wwan0/ipv4", at: 100)
        run.pass(to: 5000)
        #expect(run.uplinkWords == ["wwan0/unknown→wwan0/full probe_up"])
        #expect(run.machine.uplinks.map(\.isBoundOnly) == [false, true])
        #expect(run.machine.routedUplinks.map(\.interface.name) == ["wlan0"])
        _ = run.takeWords()
        // It is lost, and comes back, as one with a default route.
        network.wwan0?.isUp = false
        run.see(network, at: 6000)
        run.pass(to: 7000)
        #expect(run.uplinkWords.last == "wwan0/full→wwan0/none link_down link_down")
        #expect(run.takeWords() == ["web@wwan0/ipv4 up→unknown"])
        network.wwan0?.isUp = true
        run.see(network, at: 8000)
        run.check("s", "web@wwan0/ipv4", at: 8100)
        run.pass(to: 20_000)
        #expect(run.uplinkWords.last == "wwan0/none link_down→wwan0/full probe_up")
        network.wwan0 = nil
        run.see(network, at: 21_000)
        run.pass(to: 30_000)
        #expect(run.uplinkWords.last == "wwan0/full→wwan0/none no_route link_removed")
        #expect(run.machine.uplinks.map(\.interface.name) == ["wlan0"])
        #expect(run.machine.deadline == nil)
    }

    @Test("an uplink that a probe names is judged by that probe after it loses its default route")
    func boundWithoutRoute() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .matching(["wwan0"])))
        run.see(Self.both, at: 0, isFirst: true)
        run.check("s", "web@wwan0/ipv4", at: 100)
        run.pass(to: 5000)
        var network = Self.both
        network.wwan0?.hasRoute = false
        run.see(network, at: 6000)
        #expect(run.machine.takeRechecks().map { "\($0)" } == ["web@wwan0/ipv4"])
        for step in 0..<3 { run.check("r", "web@wwan0/ipv4", at: 6050 + step) }
        run.pass(to: 20_000)
        #expect(run.uplinkWords.last == "wwan0/full→wwan0/none no_route no_route")
        #expect(run.machine.uplinks.map(\.connectivity) == [.unknown, .none])
        #expect(run.machine.uplinks.last?.reason?.probe == "web")
        run.check("s", "web@wwan0/ipv4", at: 21_000)
        run.pass(to: 30_000)
        #expect(run.uplinkWords.last == "wwan0/none no_route→wwan0/full probe_up")
    }

    @Test("one reload adds an interface without a default route, and another removes it again")
    func reloadBound() {
        var run = MachineRun(MachineConfiguration())
        var network = Self.both
        network.wwan0?.hasRoute = false
        run.see(network, at: 0, isFirst: true)
        #expect(run.machine.uplinks.map(\.interface.name) == ["wlan0"])
        let naming = MachineConfiguration(probes: [ProbeRule(name: "web", interfaces: .matching(["wwan0"]))])
        run.note(run.machine.configure(naming, observed: ScriptedCheck.time(1000)))
        run.check("s", "web@wwan0/ipv4", at: 1100)
        run.pass(to: 10_000)
        #expect(run.uplinkWords == ["wwan0/none no_route→wwan0/full probe_up"])
        _ = run.takeWords()
        run.note(run.machine.configure(MachineConfiguration(), observed: ScriptedCheck.time(11_000)))
        #expect(run.takeWords() == ["web@wwan0/ipv4 up→unknown"])
        run.pass(to: 20_000)
        #expect(run.uplinkWords.last == "wwan0/full→wwan0/none no_route config_reloaded")
        #expect(run.machine.uplinks.map(\.interface.name) == ["wlan0"])
    }

    @Test("a probe removed by a reload becomes unknown at once")
    func reload() {
        var run = connected()
        run.note(run.machine.configure(MachineConfiguration(), observed: ScriptedCheck.time(6000)))
        #expect(
            run.takeWords().sorted() == [
                "web@default/ipv4 up→unknown", "web@wlan0/ipv4 up→unknown", "web@wwan0/ipv4 up→unknown",
            ]
        )
        run.pass(to: 20_000)
        #expect(
            run.uplinkWords == [
                "wlan0*/full→wlan0*/unknown config_reloaded", "wwan0/full→wwan0/unknown config_reloaded",
            ]
        )
    }

    @Test("a failover is published for both uplinks, each with whether it is active")
    func failover() {
        var run = connected()
        var network = Self.both
        network.wlan0?.isUp = false
        run.see(network, at: 6000)
        run.check("s", "web@default/ipv4", at: 6100)
        run.pass(to: 20_000)
        #expect(
            run.uplinkWords == [
                "wwan0/full→wwan0*/full link_down", "wlan0*/full→wlan0/none link_down link_down",
            ]
        )
    }
}
