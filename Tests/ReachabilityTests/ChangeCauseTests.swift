internal import NetlinkMonitor
internal import Testing

@testable internal import Reachability

/// The choice of one cause among the changes of an update.
struct ChangeCauseTests {
    private static let bridge = PathInterface(index: 2, name: "br0", kind: .wired)
    private static let up = Path(via: .wired, interface: bridge)
    private static let down = Path(via: .none, interface: bridge, reason: .linkDown)
    private static let lookup = NetworkChange(code: .lookupChanged, detail: "192.0.2.1: no carrier")

    private static func change(_ code: NetworkChange.Code, _ index: UInt32, _ detail: String) -> NetworkChange {
        let name = index == 2 ? "br0" : "eth0"
        return NetworkChange(code: code, interfaceIndex: index, interfaceName: name, detail: "\(name): \(detail)")
    }

    static let losses: [(changes: [NetworkChange], interface: String, detail: String)] = [
        // The bridge's own message has been read, or has not.
        ([change(.linkChanged, 3, "up"), change(.linkDown, 2, "no carrier"), lookup], "br0", "br0: no carrier"),
        ([change(.linkUp, 3, "up"), lookup], "br0", "192.0.2.1: no carrier"),
        ([change(.linkChanged, 3, "up"), lookup], "br0", "192.0.2.1: no carrier"),
        ([change(.kindChanged, 3, "unknown → wired"), lookup], "br0", "192.0.2.1: no carrier"),
        ([change(.linkDown, 3, "no carrier"), lookup], "eth0", "eth0: no carrier"),
    ]

    @Test(arguments: losses)
    func `a path without a carrier is not caused by another interface that has one`(
        loss: (changes: [NetworkChange], interface: String, detail: String)
    ) {
        let cause = ChangeCause(changes: loss.changes, from: Self.up, to: Self.down, isCorrection: false)
        #expect(cause.code == "link_down")
        #expect(cause.interface == loss.interface)
        #expect(cause.detail == loss.detail)
    }

    @Test func `a lost carrier of which no change is known is a change of the path's own link`() {
        let cause = ChangeCause(
            changes: [Self.change(.linkUp, 3, "up")],
            from: Self.up,
            to: Self.down,
            isCorrection: false
        )
        #expect(cause == ChangeCause(kind: .link, code: "link_down", interface: "br0"))
    }

    @Test func `a path that is usable again may be caused by a change of another interface`() {
        let changes = [Self.change(.linkUp, 3, "up"), Self.lookup]
        let cause = ChangeCause(changes: changes, from: Self.down, to: Self.up, isCorrection: false)
        #expect(cause == ChangeCause(kind: .link, code: "link_up", interface: "eth0", detail: "eth0: up"))
    }

    private static func change(_ code: NetworkChange.Code, _ index: UInt32, _ family: AddressFamily) -> NetworkChange {
        NetworkChange(
            code: code,
            interfaceIndex: index,
            interfaceName: "if\(index)",
            family: family,
            detail: "\(family)"
        )
    }

    static let pairs: [(address: NetworkChange.Code, route: NetworkChange.Code)] = [
        (.addressAdded, .routeAdded), (.addressRemoved, .routeRemoved),
    ]

    @Test(arguments: AddressFamily.allCases, pairs)
    func `the change of one family is not caused by an address of the other one`(
        family: AddressFamily,
        pair: (address: NetworkChange.Code, route: NetworkChange.Code)
    ) {
        let other: AddressFamily = family == .ipv4 ? .ipv6 : .ipv4
        // The route may be on another interface than the path's: of a lower metric, or the preferred one until now.
        for index: UInt32 in [2, 3] {
            let changes = [Self.change(pair.address, 2, other), Self.change(pair.route, index, family)]
            for changes in [changes, changes.reversed()] {
                let all = changes + [Self.change(.lookupChanged, 2, family)]
                let cause = ChangeCause(changes: all, from: Self.up, to: Self.up, family: family, isCorrection: false)
                #expect(cause.code == pair.route.rawValue && cause.detail == "\(family)")
            }
        }
    }

    @Test func `an address of either family may be the cause on the interface that carries a tunnel`() {
        let tunnel = Path(
            via: .wired,
            interface: PathInterface(index: 5, name: "wg0", kind: .tunnel),
            underlay: PathUnderlay(interface: Self.bridge, evidence: .remoteRoute)
        )
        let moved = NetworkChange(code: .underlayChanged, interfaceIndex: 5, interfaceName: "wg0", detail: "")
        let changes = [Self.change(.addressRemoved, 2, .ipv6), moved]
        let cause = ChangeCause(
            changes: changes,
            from: tunnel,
            to: Self.down,
            family: .ipv4,
            isPartial: true,
            isCorrection: false
        )
        #expect(cause.code == "address_removed")
    }

    @Test func `an interface that leaves a VRF is the cause in IPv4, not the IPv6 address that it loses by that`() {
        let left = Self.change(.linkChanged, 2, "up")
        let address = Self.change(.addressRemoved, 2, .ipv6)
        let changes = [left, address, Self.change(.lookupChanged, 2, .ipv4)]
        func code(_ family: AddressFamily) -> String {
            ChangeCause(changes: changes, from: Self.up, to: Self.up, family: family, isCorrection: false).code
        }
        #expect(code(.ipv4) == "link_changed")
        #expect(code(.ipv6) == "address_removed")
        // A flag of an interface that the path does not use explains less than an address of the other family.
        let elsewhere = [Self.change(.linkChanged, 3, "up")] + changes.dropFirst()
        let cause = ChangeCause(changes: elsewhere, from: Self.up, to: Self.up, family: .ipv4, isCorrection: false)
        #expect(cause.code == "address_removed")
    }

    @Test func `an address of the other family is the cause where nothing else has changed`() {
        let changes = [Self.change(.addressRemoved, 2, .ipv6), Self.change(.lookupChanged, 2, .ipv4)]
        let cause = ChangeCause(changes: changes, from: Self.up, to: Self.up, family: .ipv4, isCorrection: false)
        #expect(cause.code == "address_removed")
    }
}
