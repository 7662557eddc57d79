import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The families of the default path settle by themselves.
struct StateSettlingTests {
    static let both = ScriptedNetwork(wlan0: .init(hasIPv6: true))

    /// The reachability changes, with the moment of each.
    private func changes(_ run: MachineRun) -> [(to: ReachabilityState, settled: Duration)] {
        run.transitions.compactMap {
            guard case .reachability(let change) = $0 else { return nil }
            return (change.to, change.settled)
        }
    }

    @Test("blips of IPv6 do not delay the loss of IPv4")
    func blips() throws {
        var run = MachineRun(MachineConfiguration())
        run.see(Self.both, at: 0, isFirst: true)
        var lost = Self.both
        lost.wlan0?.hasIPv4 = false
        run.see(lost, at: 5000)
        var blip = lost
        blip.wlan0?.hasIPv6 = false
        for step in 0..<6 {
            run.see(blip, at: 5800 + step * 800)
            run.see(lost, at: 5802 + step * 800)
        }
        run.pass(to: 30_000)
        let changes = changes(run).filter { !$0.to.isFlapping }
        try #require(changes.count >= 2)
        #expect(changes[1].to.ipv4.via == .none)
        #expect(changes[1].to.ipv6.via == .wifi)
        #expect(changes[1].settled == .seconds(1))
        #expect(
            run.transitions.allSatisfy { transition in
                guard case .reachability(let change) = transition else { return true }
                return change.to.ipv6.via == .wifi
            }
        )
    }

    @Test("a link that is up except for blips is never published as lost")
    func prevailing() {
        var run = MachineRun(MachineConfiguration())
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        for step in 0..<50 {
            run.see(down, at: 1500 + step * 800)
            run.see(ScriptedNetwork(), at: 1502 + step * 800)
        }
        run.pass(to: 900_000)
        #expect(changes(run).allSatisfy { $0.to.via == .wifi })
        #expect(run.machine.deadline == nil)
    }

    @Test("losing both families at once is one change, and so is gaining both")
    func together() {
        var run = MachineRun(ProbeRule(name: "web"))
        run.see(Self.both, at: 0, isFirst: true)
        run.check("s", "web@default/ipv4", at: 100)
        run.check("s", "web@default/ipv6", at: 110)
        run.pass(to: 5000)
        _ = run.takeWords()
        run.see(ScriptedNetwork(wlan0: nil), at: 6000)
        run.pass(to: 9000)
        run.see(Self.both, at: 10_000)
        run.check("s", "web@default/ipv4", at: 10_100)
        run.check("s", "web@default/ipv6", at: 10_110)
        run.pass(to: 20_000)
        #expect(
            run.takeWords() == [
                "path wifi→none", "web@default/ipv4 up→unknown", "web@default/ipv6 up→unknown",
                "wifi/full→none/none link link_removed", "path none→wifi", "web@default/ipv4 unknown→up",
                "web@default/ipv6 unknown→up", "none/none→wifi/full link link_added",
            ]
        )
    }

    @Test("a lost family takes its probe verdicts with it, in one change")
    func familyOfVerdict() throws {
        var run = MachineRun(ProbeRule(name: "web"))
        run.see(Self.both, at: 0, isFirst: true)
        run.check("s", "web@default/ipv4", at: 100)
        for step in 0..<3 { run.check("f", "web@default/ipv6", at: 110 + step) }
        run.pass(to: 5000)
        #expect(run.machine.state.connectivity == .partial)
        var lost = Self.both
        lost.wlan0?.hasIPv6 = false
        let before = changes(run).count
        run.see(lost, at: 6000)
        run.pass(to: 20_000)
        let after = changes(run).dropFirst(before)
        #expect(after.map(\.to.connectivity) == [.full])
        #expect(after.map(\.settled) == [.seconds(1)])
        #expect(after.map(\.to.familyConnectivity) == [FamilyConnectivity(ipv4: .full, ipv6: .none)])
    }

    @Test("a path whose interface swaps its name through a third one settles with the rename that it shows")
    func swappedNames() throws {
        var settler = StateSettler(policy: .standard)
        var changes: [Change<ReachabilityState>] = []
        for (milliseconds, name) in [(0, "eth0"), (100, "swap"), (200, "eth1")] {
            let observed = ScriptedCheck.time(milliseconds)
            let change = settler.observe(
                ipv4: Path(via: .wired, interface: PathInterface(index: 2, name: name, kind: .wired)),
                ipv6: Path(via: .none, reason: .noRoute),
                verdict: .unknown,
                cause: ChangeCause(kind: .link, code: "link_renamed", interface: name),
                observed: observed
            )
            if let change { changes.append(change) }
        }
        while let deadline = settler.deadline, changes.count < 3 {
            if let change = settler.tick(at: deadline) { changes.append(change) }
        }
        #expect(changes.map(\.to.ipv4.interface?.name) == ["eth0", "eth1"])
        let swap = try #require(changes.last)
        #expect(swap.cause.interface == "eth1")
        #expect(swap.observed == ScriptedCheck.time(200))
    }

    /// The interface below a tunnel, created again in another way, and whether events show that.
    private static let carriers = [
        (PathInterface(index: 9, name: "usb0", kind: .wwan), isShown: false),
        (PathInterface(index: 9, name: "usb0", kind: .wwan, kindIsGuess: true), isShown: false),
        (PathInterface(index: 9, name: "usb1", kind: .wwan), isShown: true),
        (PathInterface(index: 9, name: "usb0", kind: .wired), isShown: true),
    ]

    @Test("a change of the carrier that events do not show is no change", arguments: carriers)
    func carrier(_ second: PathInterface, isShown: Bool) {
        var settler = StateSettler(policy: .standard)
        let first = PathInterface(index: 4, name: "usb0", kind: .wwan)
        let changes = [(0, first), (5000, second)].flatMap { milliseconds, carrier in
            var changes: [Change<ReachabilityState>?] = []
            let tunnel = PathInterface(index: 7, name: "wg0", kind: .tunnel)
            let underlay = PathUnderlay(interface: carrier, evidence: .remoteRoute)
            changes.append(
                settler.observe(
                    ipv4: Path(via: .wwan, interface: tunnel, underlay: underlay),
                    ipv6: Path(via: .none, reason: .noRoute),
                    verdict: .unknown,
                    cause: ChangeCause(kind: .underlay, code: "underlay_changed", interface: "wg0"),
                    observed: ScriptedCheck.time(milliseconds)
                )
            )
            while let deadline = settler.deadline { changes.append(settler.tick(at: deadline)) }
            return changes.compactMap { $0 }
        }
        #expect(changes.count == (isShown ? 2 : 1))
        #expect(settler.settled.ipv4.underlay?.interface == second)
    }
}
