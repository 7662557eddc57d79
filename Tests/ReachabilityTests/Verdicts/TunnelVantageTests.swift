import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The verdicts of probes that are bound to a tunnel, which are valid over one underlay.
struct TunnelVantageTests {
    private static let rule = ProbeRule(name: "web", interfaces: .matching(["vx0"]))
    private static let point = "web@vx0/ipv4"

    private static func network(over carrier: ScriptedNetwork.Name, isPreferred: Bool) -> ScriptedNetwork {
        ScriptedNetwork(
            tunnel: ScriptedNetwork.Tunnel(carrier: carrier, isPreferred: isPreferred),
            wwan0: ScriptedNetwork.Port()
        )
    }

    /// A machine whose probe is up over the tunnel, which the Wi-Fi carries.
    private static func connected(isPreferred: Bool) -> MachineRun {
        var run = MachineRun(rule)
        run.see(network(over: .wlan0, isPreferred: isPreferred), at: 0, isFirst: true)
        run.check("s", point, at: 100)
        run.pass(to: 5000)
        _ = run.machine.takeRechecks()
        _ = run.takeWords()
        run.uplinkWords = []
        return run
    }

    @Test(arguments: [true, false])
    func `a verdict over a tunnel ends when the tunnel moves to another underlay`(isPreferred: Bool) {
        var run = Self.connected(isPreferred: isPreferred)
        #expect(run.machine.probes.map(\.state.verdict) == [.up])
        run.see(Self.network(over: .wwan0, isPreferred: isPreferred), at: 6000)
        #expect(run.machine.takeRechecks().map(\.description) == [Self.point])
        #expect(run.machine.probes.map(\.state.verdict) == [.unknown])
        run.check("f", Self.point, at: 6050)
        run.check("f", Self.point, at: 6060)
        run.check("f", Self.point, at: 6070)
        #expect(run.takeWords().contains("\(Self.point) up→down"))
    }

    @Test func `a tunnel that moves to an underlay over which the probe is up at once causes no event of its uplink`() {
        var run = Self.connected(isPreferred: false)
        run.see(Self.network(over: .wwan0, isPreferred: false), at: 6000)
        run.check("s", Self.point, at: 6100)
        run.pass(to: 60_000)
        #expect(run.uplinkWords.isEmpty)
        #expect(run.takeWords().isEmpty)
        #expect(run.machine.probes.map(\.state.verdict) == [.up])
    }

    @Test(arguments: [true, false])
    func `a tunnel that stays over its underlay is not checked again, whatever else changes`(isPreferred: Bool) {
        var run = Self.connected(isPreferred: isPreferred)
        var network = Self.network(over: .wlan0, isPreferred: isPreferred)
        run.see(network, at: 6000)
        network.wwan0?.hasIPv6 = true
        run.see(network, at: 7000)
        network.wwan0 = nil
        run.see(network, at: 8000)
        #expect(run.machine.takeRechecks().isEmpty)
        #expect(run.machine.probes.map(\.state.verdict) == [.up])
    }

    @Test func `a tunnel has the same path as an uplink and as the default path`() throws {
        let vantages = Vantages(Self.network(over: .wwan0, isPreferred: true).snapshot)
        let tunnel = try #require(vantages.uplinks.first { $0.interface.name == "vx0" })
        #expect(tunnel.egresses.ipv4 == vantages.defaults.ipv4)
        #expect(tunnel.egresses.share(vantages.defaults))
        #expect(tunnel.egresses.ipv4?.underlay == ScriptedNetwork.Name.wwan0.index)
    }
}
