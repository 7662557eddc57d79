internal import CheckResults
internal import NetlinkMonitor
internal import Testing

@testable internal import Reachability

/// The causes of transitions while messages about both families are read at once.
struct FamilyCauseTests {
    /// Both families over the modem.
    private static let before = ScriptedNetwork(wlan0: .init(hasIPv4: false), wwan0: .init(hasIPv6: true))

    /// One family over the Wi-Fi, which the kernel prefers, and the other one over the modem.
    private static func after(_ family: AddressFamily) -> ScriptedNetwork {
        var network = before
        network.wlan0 = .init(hasIPv4: family == .ipv4, hasIPv6: family == .ipv6)
        return network
    }

    private static func change(_ code: NetworkChange.Code, _ name: ScriptedNetwork.Name, _ family: AddressFamily)
        -> NetworkChange
    {
        NetworkChange(
            code: code,
            interfaceIndex: name.index,
            interfaceName: name.rawValue,
            family: family,
            detail: "\(family)"
        )
    }

    private static func update(
        _ network: ScriptedNetwork,
        _ changes: [NetworkChange],
        at milliseconds: Int
    ) -> NetworkUpdate {
        NetworkUpdate(snapshot: network.snapshot, changes: changes, observed: ScriptedCheck.time(milliseconds))
    }

    /// The codes and the families of the causes of the paths and states, and of the uplinks.
    private static func causes(_ transitions: [Transition]) -> (states: [String], uplinks: [String]) {
        func words(_ cause: ChangeCause) -> String { "\(cause.code) \(cause.detail ?? "")" }
        let states = transitions.compactMap { transition -> String? in
            switch transition {
            case .path(let change), .reachability(let change): words(change.cause)
            default: nil
            }
        }
        let uplinks = transitions.compactMap { transition -> String? in
            if case .uplink(let change) = transition { words(change.cause) } else { nil }
        }
        return (states, uplinks)
    }

    @Test(arguments: AddressFamily.allCases)
    func `a route that comes or goes with an address of the other family is the cause of what it changes`(
        family: AddressFamily
    ) {
        let other: AddressFamily = family == .ipv4 ? .ipv6 : .ipv4
        var run = MachineRun(MachineConfiguration())
        run.see(Self.before, at: 0, isFirst: true)
        run.transitions = []
        var changes = [Self.change(.addressAdded, .wlan0, other), Self.change(.routeAdded, .wlan0, family)]
        run.note(run.machine.handle(Self.update(Self.after(family), changes, at: 1000)))
        run.pass(to: 5000)
        let gain = Self.causes(run.transitions)
        #expect(gain.states == Array(repeating: "route_added \(family)", count: 2))
        #expect(gain.uplinks == ["route_added \(family)"])
        run.transitions = []
        changes = [Self.change(.addressRemoved, .wlan0, other), Self.change(.routeRemoved, .wlan0, family)]
        run.note(run.machine.handle(Self.update(Self.before, changes, at: 6000)))
        run.pass(to: 9000)
        let loss = Self.causes(run.transitions)
        #expect(loss.states == Array(repeating: "route_removed \(family)", count: 2))
        #expect(loss.uplinks == ["route_removed \(family)"])
    }

    @Test(arguments: AddressFamily.allCases)
    func `the family that moves decides, not the one that has another router`(family: AddressFamily) {
        let other: AddressFamily = family == .ipv4 ? .ipv6 : .ipv4
        var run = MachineRun(MachineConfiguration())
        run.see(Self.before, at: 0, isFirst: true)
        run.transitions = []
        var network = Self.after(family)
        network.wwan0?.router = 2
        let changes = [Self.change(.routeAdded, .wwan0, other), Self.change(.routeAdded, .wlan0, family)]
        run.note(run.machine.handle(Self.update(network, changes, at: 1000)))
        run.pass(to: 5000)
        #expect(Self.causes(run.transitions).states.first == "route_added \(family)")
    }

    @Test func `two families that change at once, and settle one after the other, have a cause each`() {
        var run = MachineRun(MachineConfiguration())
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.transitions = []
        let changes = [
            Self.change(.addressAdded, .wlan0, .ipv6), Self.change(.routeRemoved, .wlan0, .ipv4),
            Self.change(.routeAdded, .wlan0, .ipv6),
        ]
        let network = ScriptedNetwork(wlan0: .init(hasIPv4: false, hasIPv6: true))
        run.note(run.machine.handle(Self.update(network, changes, at: 1000)))
        run.pass(to: 5000)
        let settled = run.transitions.filter { if case .reachability = $0 { true } else { false } }
        #expect(Self.causes(settled).states == ["address_added ipv6", "route_removed ipv4"])
    }
}
