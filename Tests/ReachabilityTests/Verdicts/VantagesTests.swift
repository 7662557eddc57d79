import NetlinkMonitor
import Probes
import Testing

@testable import Reachability

/// From where probes are made.
struct VantagesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var interfaces = ProbeRule.Interfaces.default
        var families = ProbeRule.Families.each
        let points: String
        var testDescription: String { name }
    }

    /// Both uplinks with both families, the wireless one in use.
    static let both = ScriptedNetwork(
        wlan0: ScriptedNetwork.Port(hasIPv6: true),
        wwan0: ScriptedNetwork.Port(hasIPv6: true)
    )

    static let cases = [
        Case(name: "the default path in each family", points: "web@default/ipv4 web@default/ipv6"),
        Case(name: "the default path in any family", families: .any, points: "web@default"),
        Case(name: "one family alone", families: .ipv6, points: "web@default/ipv6"),
        Case(
            name: "each uplink, and the default path besides",
            interfaces: .each,
            families: .any,
            points: "web@default web@wlan0 web@wwan0"
        ),
        Case(
            name: "each uplink in each family",
            interfaces: .each,
            points: "web@default/ipv4 web@default/ipv6 web@wlan0/ipv4 web@wlan0/ipv6 web@wwan0/ipv4 web@wwan0/ipv6"
        ),
        Case(name: "by name", interfaces: .matching(["wwan0"]), families: .any, points: "web@wwan0"),
        Case(name: "by kind", interfaces: .matching(["wifi"]), families: .any, points: "web@wlan0"),
        Case(
            name: "by name and kind, each once",
            interfaces: .matching(["wifi", "wlan0", "wwan"]),
            families: .any,
            points: "web@wlan0 web@wwan0"
        ),
        Case(name: "the loopback is no uplink", interfaces: .matching(["lo", "loopback"]), points: ""),
    ]

    @Test("points follow the table", arguments: cases)
    func points(_ pointCase: Case) {
        let rule = ProbeRule(name: "web", interfaces: pointCase.interfaces, families: pointCase.families)
        #expect(words(rule, Self.both) == pointCase.points)
    }

    private func words(_ rule: ProbeRule, _ network: ScriptedNetwork) -> String {
        vantages(network).points(rule).map { "\($0.point)" }.joined(separator: " ")
    }

    private func vantages(_ network: ScriptedNetwork) -> Vantages {
        let state = ReachabilityState(network.snapshot)
        return Vantages(network.snapshot, ipv4: state.ipv4, ipv6: state.ipv6)
    }

    @Test("a family without a path and a dead uplink have no points")
    func dead() {
        let rule = ProbeRule(name: "web", interfaces: .each)
        var network = Self.both
        network.wlan0 = ScriptedNetwork.Port(isUp: false, hasIPv6: true)
        network.wwan0?.hasIPv6 = false
        #expect(words(rule, network) == "web@default/ipv4 web@wwan0/ipv4")
        #expect(vantages(network).places.map(\.isUsed) == [false, true])
        network.wwan0 = nil
        #expect(words(rule, network) == "")
        #expect(vantages(network).places.map(\.interface.name) == ["wlan0"])
    }

    @Test("another router is another way, and another uplink's is not")
    func ways() {
        let before = vantages(Self.both)
        var network = Self.both
        network.wlan0?.router = 254
        let after = vantages(network)
        #expect(before.defaults != after.defaults)
        #expect(before.places.first?.ways != after.places.first?.ways)
        #expect(before.places.last == after.places.last)
    }

    @Test("an interface that has no address to send from has no points")
    func noSource() {
        let snapshot = Self.both.snapshot
        let bare = NetworkSnapshot(links: Array(snapshot.links.values), defaultRoutes: snapshot.defaultRoutes)
        let vantages = Vantages(bare, ipv4: Path(via: .none), ipv6: Path(via: .none))
        #expect(vantages.points(ProbeRule(name: "web", interfaces: .each)).isEmpty)
        #expect(vantages.places.count == 2)
    }
}
