import NetlinkMonitor
import Testing

@testable import Reachability

/// The reason of an outage where a default route of one family leads through an interface without an address of it, as
/// after router advertisements without a prefix.
struct UnusedFamilyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The addresses, each with the index of its interface: 3 is `wlan0`, 4 is `wwan0`, 7 is `docker0`.
        var addresses: [(String, UInt32)] = []
        var ipv4 = RouteLookup.Outcome.refused(.noRoute)
        var ipv6 = RouteLookup.Outcome.refused(.noRoute)
        var isUp = true
        let reason: ReasonCode
        var interface: String?
    }

    private static func address(_ text: String) -> IPAddress { IPAddress(text) ?? .unspecified(.ipv4) }

    private static func route(_ interface: UInt32, _ source: String?) -> RouteLookup.Outcome {
        .route(ResolvedRoute(interfaceIndex: interface, source: source.map(address)))
    }

    private static func network(
        _ addresses: [(String, UInt32)],
        ipv4: RouteLookup.Outcome,
        ipv6: RouteLookup.Outcome,
        isUp: Bool = true
    ) -> NetworkSnapshot {
        let devices: [(UInt32, String, InterfaceKind)] = [
            (3, "wlan0", .wifi), (4, "wwan0", .wwan), (7, "docker0", .bridge),
        ]
        let links = devices.map { index, name, kind in
            Link(
                index: index,
                name: name,
                flags: index == 3 && !isUp ? [.up] : [.up, .lowerUp],
                classification: InterfaceClassification(kind: kind, evidence: [])
            )
        }
        return NetworkSnapshot(
            links: links,
            addresses: addresses.map { text, index in
                InterfaceAddress(interfaceIndex: index, address: address(text), prefixLength: 64)
            },
            lookups: zip(ScriptedNetwork.internet, [ipv4, ipv6]).map { RouteLookup(destination: $0, outcome: $1) },
            internetAddresses: ScriptedNetwork.internet
        )
    }

    /// A machine, and its last snapshot.
    private struct Driver {
        var machine: ReachabilityMachine
        private var before = NetworkSnapshot()

        init(_ machine: ReachabilityMachine) { self.machine = machine }

        @discardableResult
        mutating func handle(_ next: NetworkSnapshot, at milliseconds: Int) -> [Transition] {
            defer { before = next }
            let changes = next.diff(from: before)
            let observed = ScriptedCheck.time(milliseconds)
            return machine.handle(NetworkUpdate(snapshot: next, changes: changes, observed: observed))
        }
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "the IPv4 route is gone",
            addresses: [("10.0.0.2", 4), ("fe80::2", 4)],
            ipv6: route(4, "fe80::2"),
            reason: .noRoute
        ),
        Case(
            testDescription: "IPv4 is dropped",
            addresses: [("10.0.0.2", 4), ("fe80::2", 4)],
            ipv4: .refused(.blackhole),
            ipv6: route(4, "fe80::2"),
            reason: .routeBlackhole
        ),
        Case(
            testDescription: "the interface of IPv4 has no carrier, and the other has no IPv6 address",
            addresses: [("10.0.0.2", 3), ("10.1.0.2", 4), ("fe80::2", 4)],
            ipv4: route(3, "10.0.0.2"),
            ipv6: route(4, "fe80::2"),
            isUp: false,
            reason: .linkDown,
            interface: "wlan0"
        ),
        Case(
            testDescription: "the interface of IPv4 has no carrier, and the other has no address at all",
            addresses: [("10.0.0.2", 3), ("fe80::2", 4)],
            ipv4: route(3, "10.0.0.2"),
            ipv6: route(4, "fe80::2"),
            isUp: false,
            reason: .linkDown,
            interface: "wlan0"
        ),
        Case(
            testDescription: "the IPv6 route is gone, and IPv4 has a link-local address",
            addresses: [("169.254.7.7", 4), ("2001:db8::2", 4)],
            ipv4: route(4, "169.254.7.7"),
            reason: .noRoute
        ),
        Case(
            testDescription: "neither family has an address",
            addresses: [("fe80::2", 4)],
            ipv6: route(4, "fe80::2"),
            reason: .noAddress,
            interface: "wwan0"
        ),
        Case(
            testDescription: "IPv4 has an address of containers alone",
            addresses: [("172.17.0.1", 7), ("fe80::2", 4)],
            ipv6: route(4, "fe80::2"),
            reason: .noAddress,
            interface: "wwan0"
        ),
        Case(
            testDescription: "neither family has an address, and IPv4 borrows one",
            addresses: [("172.17.0.1", 7), ("fe80::2", 4)],
            ipv4: route(3, "172.17.0.1"),
            ipv6: route(4, "fe80::2"),
            reason: .noAddress,
            interface: "wlan0"
        ),
    ]

    @Test(arguments: cases)
    func `a family without an address does not explain the loss of the other one`(_ row: Case) {
        let state = ReachabilityState(
            Self.network(row.addresses, ipv4: row.ipv4, ipv6: row.ipv6, isUp: row.isUp)
        )
        #expect(state.via == .none)
        #expect(state.path.reason == row.reason)
        #expect(state.path.interface?.name == row.interface)
    }

    @Test func `a loss after an address of the other family has a cause and a time of its own`() {
        var driver = Driver(ReachabilityMachine(settle: .standard))
        let (ipv4, ipv6) = (Self.route(3, "10.0.0.2"), Self.route(4, "fe80::2"))
        driver.handle(Self.network([("10.0.0.2", 3), ("fe80::2", 4)], ipv4: ipv4, ipv6: ipv6), at: 0)
        let addresses = [("10.0.0.2", UInt32(3)), ("10.1.0.2", 4), ("fe80::2", 4)]
        #expect(driver.handle(Self.network(addresses, ipv4: ipv4, ipv6: ipv6), at: 60_000).isEmpty)
        driver.handle(Self.network(addresses, ipv4: ipv4, ipv6: .refused(.noRoute)), at: 60_100)
        let settled = driver.machine.tick(at: ScriptedCheck.time(70_000).instant)
        let changes = settled.compactMap { transition -> Change<ReachabilityState>? in
            if case .reachability(let change) = transition { change } else { nil }
        }
        #expect(changes.map(\.observed) == [ScriptedCheck.time(60_100)])
        #expect(!changes.map(\.cause).contains(.start))
    }

    @Test func `an address of the other family is no event, and the loss of its route is one`() {
        var driver = Driver(ReachabilityMachine(settle: .none))
        let (ipv4, ipv6) = (Self.route(3, "10.0.0.2"), Self.route(4, "fe80::2"))
        driver.handle(Self.network([("10.0.0.2", 3), ("fe80::2", 4)], ipv4: ipv4, ipv6: ipv6), at: 0)
        let addresses = [("10.0.0.2", UInt32(3)), ("10.1.0.2", 4), ("fe80::2", 4)]
        #expect(driver.handle(Self.network(addresses, ipv4: ipv4, ipv6: ipv6), at: 1000).isEmpty)
        let lost = driver.handle(Self.network(addresses, ipv4: .refused(.noRoute), ipv6: ipv6), at: 2000)
        let states = lost.compactMap { transition -> ReachabilityState? in
            switch transition {
            case .path(let change), .reachability(let change): change.to
            default: nil
            }
        }
        #expect(states.map(\.path.reason) == [.noRoute, .noRoute])
        #expect(states.map(\.ipv6.reason) == [.noAddress, .noAddress])
    }
}
