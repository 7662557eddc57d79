import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The alternative to a dead path among tunnels and the uplinks that carry them.
struct TunnelAlternativeTests {
    private static let interfaces = [
        "vx0": PathInterface(index: 2, name: "vx0", kind: .tunnel),
        "wlan0": .init(index: 3, name: "wlan0", kind: .wifi),
        "wwan0": .init(index: 4, name: "wwan0", kind: .wwan), "vx1": .init(index: 5, name: "vx1", kind: .tunnel),
        "ppp0": .init(index: 6, name: "ppp0", kind: .ppp),
    ]

    private static func interface(_ name: String) -> PathInterface {
        interfaces[name] ?? PathInterface(index: 99, name: name, kind: .unknown)
    }

    private static func underlay(_ name: String, _ evidence: Underlay.Evidence = .remoteRoute) -> PathUnderlay {
        PathUnderlay(interface: interface(name), evidence: evidence)
    }

    private static func uplink(
        _ name: String,
        _ connectivity: Connectivity = .unknown,
        over underlay: PathUnderlay? = nil
    ) -> Uplink {
        Uplink(interface: interface(name), connectivity: connectivity, isUsed: false, underlay: underlay)
    }

    /// A path that is dead, for a reason that the kernel gives or without any answer, and the alternative to it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        var over: String?
        var reason: ReasonCode?
        let uplinks: [Uplink]
        /// The uplinks over which no check has succeeded since the path fell silent.
        let unproven: [String]
        /// The dead interface and the one that works.
        let found: [String]

        init(
            _ name: String,
            _ path: String,
            over: String? = nil,
            _ reason: ReasonCode?,
            _ uplinks: [Uplink],
            unproven: [String] = [],
            found: [String] = []
        ) {
            testDescription = name
            self.path = path
            self.over = over
            self.reason = reason
            self.uplinks = uplinks
            self.unproven = unproven
            self.found = found
        }
    }

    static let rows = [
        Row(
            "a tunnel with its underlay lost, and another uplink",
            "vx0",
            over: "wlan0",
            .underlayDown,
            [uplink("vx0", over: underlay("wlan0")), uplink("wlan0"), uplink("wwan0")],
            found: ["wlan0", "wwan0"]
        ),
        Row(
            "a tunnel with its underlay lost, and older verdicts over both",
            "vx0",
            over: "wlan0",
            .underlayDown,
            [uplink("vx0", .full, over: underlay("wlan0")), uplink("wlan0", .full)]
        ),
        Row(
            "a lost uplink, and a tunnel over it with an older verdict",
            "wlan0",
            .linkDown,
            [uplink("vx0", .full, over: underlay("wlan0"))]
        ),
        Row(
            "a lost uplink, and a tunnel over another one",
            "wlan0",
            .linkDown,
            [uplink("vx0", over: underlay("wwan0"))],
            found: ["wlan0", "vx0"]
        ),
        Row(
            "a lost uplink, and a tunnel that is guessed to be over another one",
            "wlan0",
            .linkDown,
            [uplink("vx0", over: underlay("wwan0", .nextDefaultRoute))]
        ),
        Row("a lost uplink, and a tunnel with an unknown underlay", "wlan0", .linkDown, [uplink("vx0")]),
        Row(
            "a lost uplink, and a tunnel with an unknown underlay that its probe proves",
            "wlan0",
            .linkDown,
            [uplink("vx0", .full)],
            found: ["wlan0", "vx0"]
        ),
        Row("a lost uplink, and a modem's PPP line", "wlan0", .linkDown, [uplink("ppp0")], found: ["wlan0", "ppp0"]),
        Row(
            "a tunnel that is down itself, and another uplink",
            "vx0",
            over: "wlan0",
            .linkDown,
            [uplink("wlan0"), uplink("wwan0")],
            found: ["vx0", "wwan0"]
        ),
        Row("a tunnel that is down itself, and its underlay alone", "vx0", over: "wlan0", .linkDown, [uplink("wlan0")]),
        Row(
            "a tunnel that is down itself, and another tunnel over the same uplink",
            "vx0",
            over: "wlan0",
            .linkDown,
            [uplink("vx1", over: underlay("wlan0"))],
            found: ["vx0", "vx1"]
        ),
        Row("a silent uplink, and a tunnel over it", "wlan0", nil, [uplink("vx0", .full, over: underlay("wlan0"))]),
        Row(
            "a silent uplink, and a tunnel over another one",
            "wlan0",
            nil,
            [uplink("vx0", .full, over: underlay("wwan0"))],
            found: ["wlan0", "vx0"]
        ),
        Row(
            "a silent tunnel, its underlay, and another tunnel over it",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wlan0", .full), uplink("vx1", .full, over: underlay("wlan0"))]
        ),
        Row(
            "a silent tunnel over a proven underlay, and another uplink",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wlan0", .full), uplink("wwan0", .partial)],
            found: ["vx0", "wwan0"]
        ),
        Row(
            "a silent tunnel over an underlay that was proven before, and another uplink",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wlan0", .full), uplink("wwan0", .full)],
            unproven: ["wlan0"],
            found: ["wlan0", "wwan0"]
        ),
        Row(
            "a silent tunnel over a partly working underlay, and another uplink",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wlan0", .partial), uplink("wwan0", .full)],
            found: ["vx0", "wwan0"]
        ),
        Row(
            "a silent tunnel over an underlay without a verdict, and another uplink",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wlan0"), uplink("wwan0", .full)],
            found: ["wlan0", "wwan0"]
        ),
        Row(
            "a silent tunnel over a silent underlay, and another uplink",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wlan0", .local), uplink("wwan0", .full)],
            found: ["wlan0", "wwan0"]
        ),
        Row(
            "a silent tunnel over an interface that is no uplink, and another uplink",
            "vx0",
            over: "wlan0",
            nil,
            [uplink("wwan0", .full)],
            found: ["wlan0", "wwan0"]
        ),
        Row(
            "a tunnel with its underlay lost, an older verdict over that, and another uplink",
            "vx0",
            over: "wlan0",
            .underlayDown,
            [uplink("wlan0", .full), uplink("wwan0", .full)],
            found: ["wlan0", "wwan0"]
        ),
    ]

    @Test("the alternative to a dead path is nothing that the dead interface carries", arguments: rows)
    func table(_ row: Row) {
        let path = Path(
            via: row.reason == nil ? .wifi : .none,
            interface: Self.interface(row.path),
            underlay: row.over.map { Self.underlay($0) },
            reason: row.reason
        )
        let state = ReachabilityState(
            ipv4: path,
            ipv6: Path(via: .none, reason: .noRoute),
            connectivity: row.reason == nil ? .local : Connectivity.none
        )
        let found = PathAlternative(
            to: state,
            among: row.uplinks,
            proven: Set(row.uplinks.map(\.interface.name).filter { !row.unproven.contains($0) })
        )
        #expect([found?.preferred.name, found?.interface.name].compactMap(\.self) == row.found)
    }

    /// A Wi-Fi, a modem, and a tunnel over one of them, with a kernel that goes by metrics alone.
    private static func network(_ tunnel: ScriptedNetwork.Tunnel) -> ScriptedNetwork {
        var network = ScriptedNetwork(tunnel: tunnel, wwan0: ScriptedNetwork.Port())
        network.prefersDead = true
        return network
    }

    @Test(
        "with the uplink below a tunnel, the tunnel is lost, and only the other uplink is an alternative",
        arguments: [true, false]
    )
    func underlayLost(isPreferred: Bool) {
        var run = MachineRun(MachineConfiguration())
        var network = Self.network(ScriptedNetwork.Tunnel(isPreferred: isPreferred))
        run.see(network, at: 0, isFirst: true)
        _ = run.takeWords()
        network.wlan0?.isUp = false
        run.see(network, at: 1000)
        run.pass(to: 5000)
        #expect(run.takeWords().last?.hasPrefix("wifi/unknown→none/none|wwan0 ") == true)
        #expect(run.uplinkWords.contains { $0.hasPrefix("vx0") && $0.contains("/none underlay_down ") })
        network.wwan0?.isUp = false
        run.see(network, at: 6000)
        run.pass(to: 9000)
        #expect(run.takeWords() == ["none/none|wwan0→none/none link link_down"])
    }

    @Test("a tunnel over the only uplink is no alternative to it", arguments: [true, false])
    func onlyUplink(isPreferred: Bool) {
        var run = MachineRun(MachineConfiguration())
        var network = Self.network(ScriptedNetwork.Tunnel(isPreferred: isPreferred))
        network.wwan0 = nil
        run.see(network, at: 0, isFirst: true)
        _ = run.takeWords()
        network.wlan0?.isUp = false
        run.see(network, at: 1000)
        run.pass(to: 5000)
        #expect(run.takeWords().last?.hasPrefix("wifi/unknown→none/none ") == true)
        #expect(run.machine.state.alternative == nil)
    }

    @Test("a tunnel that moves to another uplink becomes an alternative, and the move is no event of its own")
    func moves() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        var network = Self.network(ScriptedNetwork.Tunnel(isPreferred: false))
        // The modem has no default route of its own, only one to the tunnel's remote.
        network.wwan0?.hasRoute = false
        run.see(network, at: 0, isFirst: true)
        for point in ["web@default/ipv4", "web@wlan0/ipv4", "web@vx0/ipv4"] { run.check("s", point, at: 100) }
        run.pass(to: 5000)
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 6000 + step) }
        run.pass(to: 9000)
        #expect(run.takeWords().last == "wifi/full→wifi/local probe connect_timeout")
        run.uplinkWords = []
        _ = run.machine.takeRechecks()
        network.tunnel?.carrier = .wwan0
        run.see(network, at: 10_000)
        // A verdict over the Wi-Fi is none over the modem: it is checked again at once.
        #expect(run.machine.takeRechecks().map(\.description) == ["web@vx0/ipv4"])
        run.check("s", "web@vx0/ipv4", at: 10_100)
        run.pass(to: 15_000)
        #expect(run.takeWords() == ["wifi/local→wifi/local|vx0 probe probe_up"])
        #expect(run.uplinkWords.isEmpty)
    }
}
