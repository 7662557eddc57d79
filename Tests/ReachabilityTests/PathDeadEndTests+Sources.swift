import NetlinkMonitor
import Testing

@testable import Reachability

/// Source addresses that the kernel selects although no answer to them comes back.
extension PathDeadEndTests {
    @Test(
        "the address of another uplink is no source through a tunnel, unless the route names it",
        arguments: [
            (.tunnel, true, false, .noAddress), (.tunnel, true, true, nil), (.tunnel, false, false, nil),
            (.wired, true, false, nil),
        ] as [(InterfaceKind, Bool, Bool, ReasonCode?)]
    )
    func sourceThroughTunnel(_ kind: InterfaceKind, ownerIsUplink: Bool, isNamed: Bool, _ reason: ReasonCode?) {
        let (source, everything) = ("2001:db8::2", IPPrefix.everything(.ipv6))
        let path = path(
            [Self.link(3, "wg0", kind, flags: .noARP), Self.link(7, "eth0")],
            source: source,
            destination: "2001:503:ba3e::2:30",
            addresses: [Self.owned(source, by: 7)],
            routes: ownerIsUplink ? [Route(destination: everything, nextHops: [NextHop(interfaceIndex: 7)])] : [],
            matched: Route(destination: everything, preferredSource: isNamed ? Self.address(source) : nil)
        )
        #expect(path.reason == reason)
    }

    @Test func `a leg through an IPv6 router is dead without a link-local address on its interface`() {
        let hops = [NextHop(interfaceIndex: 3, gateway: Self.address("fe80::1"))]
        let other = NextHop(interfaceIndex: 4, gateway: Self.address("192.0.4.1"))
        let path = path(
            [Self.link(3, "eth0"), Self.link(4, "wlan0", .wifi)],
            gateway: "fe80::1",
            addresses: [Self.owned("192.0.2.2", by: 3), Self.owned("192.0.4.2", by: 4)],
            matched: Route(destination: .everything(.ipv4), nextHops: hops + [other])
        )
        #expect(path.via == .wifi)
        #expect(path.deadLegs.map(\.interface) == ["eth0"])
        #expect(path.deadLegs.map(\.reason) == [.noAddress])
    }

    @Test(
        "a link-local IPv4 address is a source through a router that is link-local too, also beside a dead leg",
        arguments: [
            ("169.254.0.21", "169.254.0.22", true), ("169.254.0.21", "192.0.2.1", false),
            ("169.254.0.21", "fe80::1", false), ("169.254.0.21", nil, false), ("fe80::2", "fe80::1", false),
        ] as [(String, String?, Bool)]
    )
    func translatedLinkLocal(_ source: String, _ router: String?, isSource: Bool) {
        let family = Self.address(source).family
        let destination = family == .ipv4 ? "198.41.0.4" : "2001:503:ba3e::2:30"
        let links = [Self.link(3, "eth0"), Self.link(4, "wlan0", .wifi, isUp: false)]
        let only = path(links, gateway: router, source: source, destination: destination)
        #expect(only.reason == (isSource ? nil : .noAddress))
        let hops = [NextHop(interfaceIndex: 4), NextHop(interfaceIndex: 3, gateway: router.map(Self.address))]
        let other = family == .ipv4 ? "192.0.2.7" : "fd00::7"
        let leg = path(
            links,
            through: 4,
            source: other,
            destination: destination,
            addresses: [Self.owned(source, by: 3), Self.owned(other, by: 4)],
            matched: Route(destination: .everything(family), nextHops: hops)
        )
        #expect(leg.via == (isSource ? .wired : .none))
    }
}
