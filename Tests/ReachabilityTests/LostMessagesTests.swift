import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// A machine after lost kernel messages: its view may lack an interface until the resynchronization.
struct LostMessagesTests {
    /// A change of the network, and the interface whose messages are lost.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var before = ScriptedNetwork()
        let after: ScriptedNetwork
        /// The interface that the view lacks.
        var lacking: UInt32? = ScriptedNetwork.Name.wwan0.index
        var isSynchronized = false
        /// The path after it.
        let via: Via
    }

    private static let office = Target(name: "office", address: ScriptedNetwork.internet[0])
    private static let web = ProbeRule(name: "web")

    /// A network that prefers its modem, which is new.
    private static func modem(wlan0: ScriptedNetwork.Port? = ScriptedNetwork.Port()) -> ScriptedNetwork {
        ScriptedNetwork(wlan0: wlan0, wwan0: ScriptedNetwork.Port(), preferred: .wwan0)
    }

    private static func tunnel(over carrier: ScriptedNetwork.Name) -> ScriptedNetwork {
        ScriptedNetwork(
            tunnel: ScriptedNetwork.Tunnel(carrier: carrier),
            wwan0: carrier == .wwan0 ? ScriptedNetwork.Port() : nil
        )
    }

    /// Returns the view of a network without an interface.
    private static func snapshot(
        _ network: ScriptedNetwork,
        lacking index: UInt32?,
        isSynchronized: Bool
    ) -> NetworkSnapshot {
        let plain = network.snapshot
        return NetworkSnapshot(
            links: plain.links.filter { $0.index != index },
            addresses: plain.addresses.filter { $0.interfaceIndex != index },
            defaultRoutes: plain.defaultRoutes,
            lookups: Array(plain.lookups.values),
            underlays: plain.underlays,
            internetAddresses: plain.internetAddresses,
            isSynchronized: isSynchronized
        )
    }

    private static func see(
        _ snapshot: NetworkSnapshot,
        since old: NetworkSnapshot,
        at milliseconds: Int,
        isCorrection: Bool = false,
        _ run: inout MachineRun
    ) {
        run.pass(to: milliseconds)
        let update = NetworkUpdate(
            snapshot: snapshot,
            changes: snapshot.diff(from: old),
            observed: ScriptedCheck.time(milliseconds)
        )
        run.note(run.machine.handle(update, isCorrection: isCorrection))
    }

    private static let uncertain: [Case] = [
        Case(testDescription: "a new uplink", after: modem(), via: .wwan),
        Case(testDescription: "a new uplink, while the old one is removed", after: modem(wlan0: nil), via: .wwan),
        Case(
            testDescription: "a tunnel that moves to a new uplink",
            before: tunnel(over: .wlan0),
            after: tunnel(over: .wwan0),
            via: .wwan
        ),
    ]

    @Test(arguments: uncertain)
    func `a path over an interface that the view lacks keeps its state until the resynchronization`(_ row: Case) {
        var run = MachineRun(MachineConfiguration(targets: [Self.office]))
        run.see(row.before, at: 0, isFirst: true)
        run.pass(to: 1000)
        _ = run.takeWords()
        let uncertain = Self.snapshot(row.after, lacking: row.lacking, isSynchronized: false)
        Self.see(uncertain, since: row.before.snapshot, at: 2000, &run)
        // Longer than any loss must hold.
        run.pass(to: 9000)
        #expect(run.takeWords().isEmpty)
        #expect(run.machine.state.via == .wifi)
        #expect(run.machine.targetPaths.map(\.state.via) == [.wifi])
        Self.see(row.after.snapshot, since: uncertain, at: 9000, isCorrection: true, &run)
        #expect(run.takeWords() == ["path wifi→\(row.via)", "path office wifi→\(row.via)"])
        run.pass(to: 20_000)
        #expect(run.machine.state.via == row.via)
    }

    private static let certain: [Case] = [
        Case(
            testDescription: "an interface that a synchronized view lacks",
            after: modem(),
            isSynchronized: true,
            via: .none
        ),
        Case(
            testDescription: "a link that a message reports as down",
            after: ScriptedNetwork(wlan0: ScriptedNetwork.Port(isUp: false)),
            lacking: nil,
            via: .none
        ),
        Case(testDescription: "no route", after: ScriptedNetwork(wlan0: nil), lacking: nil, via: .none),
        Case(testDescription: "a known uplink", after: modem(), lacking: nil, via: .wwan),
    ]

    @Test(arguments: certain)
    func `every other change is published at once, also while the view is not synchronized`(_ row: Case) {
        var run = MachineRun(MachineConfiguration(targets: [Self.office]))
        run.see(row.before, at: 0, isFirst: true)
        run.pass(to: 1000)
        _ = run.takeWords()
        let snapshot = Self.snapshot(row.after, lacking: row.lacking, isSynchronized: row.isSynchronized)
        Self.see(snapshot, since: row.before.snapshot, at: 2000, &run)
        #expect(run.takeWords() == ["path wifi→\(row.via)", "path office wifi→\(row.via)"])
    }

    @Test func `a reload before the resynchronization keeps the checks, and gives a new target no state`() {
        var run = MachineRun.connected(Self.web)
        let uncertain = Self.snapshot(
            Self.modem(),
            lacking: ScriptedNetwork.Name.wwan0.index,
            isSynchronized: false
        )
        Self.see(uncertain, since: ScriptedNetwork().snapshot, at: 2000, &run)
        let bound = ProbeRule(name: "bound", interfaces: .matching(["eth9"]))
        let configuration = MachineConfiguration(targets: [Self.office], probes: [Self.web, bound])
        run.note(run.machine.configure(configuration, observed: ScriptedCheck.time(2010)))
        run.pass(to: 9000)
        #expect(run.takeWords().isEmpty)
        #expect(run.machine.points.map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.state.connectivity == .full)
        #expect(run.machine.targetPaths.map(\.state.via) == [.unknown])
        Self.see(Self.modem().snapshot, since: uncertain, at: 9000, isCorrection: true, &run)
        let words = run.takeWords()
        #expect(words.first == "path wifi→wwan")
        #expect(words.suffix(2) == ["path office unknown→wwan", "target office unknown→wwan"])
    }
}
