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
}
