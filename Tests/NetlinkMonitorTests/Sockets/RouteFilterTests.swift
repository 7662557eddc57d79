import AgentTestKit
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The route filter as the running kernel executes it.
struct RouteFilterTests {
    static let targets = ["192.0.2.129", "198.41.0.4", "2001:db8:1234:5678:9abc:def0:1357:9bdf", "2001:7fd::1"]

    private func filtered(_ targets: [String] = targets) throws -> FilteredSocket {
        try FilteredSocket(RouteFilter(covering: try targets.map(ip)))
    }

    private func route(_ text: String) throws -> MessageBuilder {
        .route(Route(destination: try prefix(text), nextHops: [NextHop(interfaceIndex: 3)]))
    }

    @Test("every message that is not about a route passes")
    func otherMessages() throws {
        let socket = try filtered()
        let address = InterfaceAddress(interfaceIndex: 3, address: try ip("10.0.0.1"), prefixLength: 8)
        let messages: [MessageBuilder] = [
            .link(3, "eth0"), .wirelessEvent(3, "wlan0", []), .linkRemoved(3, "eth0"), .address(address),
            .addressRemoved(address), .rule(RoutingRule(family: .ipv4, priority: 1, table: 2)),
            .ruleRemoved(RoutingRule(family: .ipv6, priority: 1, table: 2)), .nextHopObject(1),
            .nextHopObject(1, removed: true), .nextHopBucket(5, of: 1, nextHop: 2), .done(), .reply(errno: 1),
            .overrun(),
        ]
        for message in messages { #expect(socket.passes(message), "type \(message.type)") }
    }

    @Test(
        "default routes, and the parts that VPNs split them into, pass",
        arguments: [
            "0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "::/0", "::/1", "8000::/1", "::/3", "2000::/3", "2000::/4",
            "3000::/4",
            "f000::/4",
        ]
    )
    func defaults(text: String) throws {
        let socket = try filtered()
        let message = try route(text)
        #expect(socket.passes(message))
        var removal = message
        removal.type = Rtnetlink.deleteRoute
        #expect(socket.passes(removal))
    }

    @Test(
        "a prefix passes exactly when it covers a target, also at word boundaries",
        arguments: [2, 5, 8, 16, 24, 30, 31, 32, 33, 48, 62, 63, 64, 65, 80, 95, 96, 97, 112, 126, 127, 128]
    )
    func covering(length: Int) throws {
        let socket = try filtered()
        for text in Self.targets {
            let target = try ip(text)
            guard length <= target.family.bitWidth, length > RouteLookup.longestDefaultPart(target.family) else {
                continue
            }
            let covering = try #require(IPPrefix(address: target.masked(to: length), length: length))
            #expect(socket.passes(.route(Route(destination: covering))), "\(covering)")
            // The same prefix with its last bit turned covers something else.
            let beside = try #require(IPPrefix(address: covering.address.turningBit(length - 1), length: length))
            let coversAnother = try Self.targets.contains { beside.covers(try ip($0)) }
            #expect(socket.passes(.route(Route(destination: beside))) == coversAnother, "\(beside)")
        }
    }

    @Test("without targets only the default routes pass")
    func withoutTargets() throws {
        let socket = try filtered([])
        #expect(try socket.passes(route("0.0.0.0/0")))
        #expect(try !socket.passes(route("0.0.0.0/2")))
        #expect(try !socket.passes(route("fe80::/64")))
    }

    @Test("messages of the multicast routing tables are dropped")
    func multicastRouting() throws {
        let socket = try filtered()
        var message = try route("0.0.0.0/0")
        message.fixed[0] = Rtnetlink.familyMulticastRouting
        #expect(!socket.passes(message))
    }

    @Test("a prefix with a length but no destination is the unspecified address's, and passes")
    func withoutDestination() throws {
        let socket = try filtered()
        var message = try route("10.0.0.0/8")
        message.attributes = []
        #expect(socket.passes(message))
    }

    @Test("random prefixes pass exactly when they cover one of 10 random targets")
    func randomPrefixes() throws {
        var generator = SplitMix(state: 42)
        let targets = try (0..<10).map { try IPAddress.random($0 < 4 ? .ipv4 : .ipv6, &generator) }
        let socket = try FilteredSocket(RouteFilter(covering: targets))
        for _ in 0..<3000 {
            let near = try #require(targets.randomElement(using: &generator))
            let length = Int.random(in: 0...near.family.bitWidth, using: &generator)
            // Every second one differs from its target in one bit, before or behind the prefix's end.
            let turned = near.turningBit(Int.random(in: 0..<near.family.bitWidth, using: &generator))
            let base = Bool.random(using: &generator) ? near : turned
            let prefix = try #require(IPPrefix(address: base.masked(to: length), length: length))
            let expected =
                length <= RouteLookup.longestDefaultPart(near.family) || targets.contains(where: prefix.covers)
            #expect(socket.passes(.route(Route(destination: prefix))) == expected, "\(prefix)")
        }
    }

    /// So many addresses, and how precisely the filter may then still look.
    @Test(
        "with many targets the program stays short, and everything that covers one still passes",
        arguments: [
            (14, 0), (18, 0), (19, 0), (0, 67), (0, 69), (34, 34), (64, 4), (64, 64), (64, 200), (0, 130), (2000, 2000),
        ]
    )
    func manyTargets(six: Int, four: Int) throws {
        var generator = SplitMix(state: UInt64(six + four))
        let targets =
            try (0..<six).map { _ in try IPAddress.random(.ipv6, &generator) }
            + (0..<four).map { _ in try IPAddress.random(.ipv4, &generator) }
        let filter = RouteFilter(covering: targets)
        #expect(filter.program.count <= 4096)
        let socket = try FilteredSocket(filter)
        for target in targets {
            let length = Int.random(in: 5...target.family.bitWidth, using: &generator)
            let prefix = try #require(IPPrefix(address: target.masked(to: length), length: length))
            #expect(socket.passes(.route(Route(destination: prefix))), "\(prefix)")
        }
        #expect(socket.passes(.link(3, "eth0")))
        // The kernel keeps the old program until it has the new one, and charges the socket for both.
        #expect(throws: Never.self) { try socket.replace(filter) }
    }

    @Test(
        "for a watched router, exactly the messages with a new state pass, and each failure of an IPv6 one",
        arguments: [
            ("fe80::1", .usable, [0x20]), ("fe80::1", .failed, [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x80]),
            ("fe80::1", .resolving, [0x02, 0x04, 0x08, 0x10, 0x20, 0x80]),
            ("192.0.2.1", .reachable, [0x01, 0x04, 0x08, 0x10, 0x20, 0x80]),
            ("192.0.2.1", .usable, [0x01, 0x02, 0x20]),
            ("192.0.2.1", .resolving, [0x02, 0x04, 0x08, 0x10, 0x20, 0x80]),
            ("192.0.2.1", .failed, [0x01, 0x02, 0x04, 0x08, 0x10, 0x80]),
            ("192.0.2.1", .unknown, [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x80]),
        ] as [(String, NeighbourState, [UInt16])]
    )
    func neighbours(text: String, state: NeighbourState, passing: [UInt16]) throws {
        let router = Router(interfaceIndex: 0x1_0203, address: try ip(text))
        let other = Router(interfaceIndex: 7, address: try ip("fe80::7"))
        let socket = try FilteredSocket(RouteFilter(covering: [], routers: [router: state, other: .usable]))
        for bits: UInt16 in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x80] {
            let message = MessageBuilder.neighbour(router.address, interface: 0x1_0203, state: bits)
            #expect(socket.passes(message) == passing.contains(bits), "\(bits)")
        }
        #expect(socket.passes(.neighbour(router.address, interface: 0x1_0203, state: 0x20, removed: true)))
        let strangers = [
            MessageBuilder.neighbour(router.address, interface: 4, state: 0x20),
            .neighbour(router.address.turningBit(31), interface: 0x1_0203, state: 0x20),
            .neighbour(try ip("fe80::7"), interface: 0x1_0203, state: 0x20),
        ]
        for message in strangers { #expect(!socket.passes(message)) }
        #expect(socket.passes(.link(3, "eth0")))
        #expect(try socket.passes(route("::/0")))
        #expect(try !socket.passes(route("2001:db8::/32")))
    }

    @Test("without routers no neighbour passes; with many, the first 16 do, and the program stays short")
    func neighbourBounds() throws {
        let socket = try filtered()
        #expect(try !socket.passes(.neighbour(ip("fe80::1"), interface: 3, state: 0x20)))
        let routers = try (1...40).map { Router(interfaceIndex: $0, address: try ip("fe80::\($0)")) }
        let states = Dictionary(uniqueKeysWithValues: routers.map { ($0, NeighbourState.usable) })
        let filter = RouteFilter(covering: try Self.targets.map(ip), routers: states)
        #expect(filter.program.count <= 1200)
        try socket.replace(filter)
        #expect(socket.passes(.neighbour(routers[15].address, interface: 16, state: 0x20)))
        #expect(!socket.passes(.neighbour(routers[16].address, interface: 17, state: 0x20)))
    }

    @Test("a filter can be replaced by one for other targets")
    func replacement() throws {
        let socket = try filtered(["192.0.2.1"])
        #expect(try socket.passes(route("192.0.2.0/24")))
        try socket.replace(RouteFilter(covering: [try ip("203.0.113.1")]))
        #expect(try !socket.passes(route("192.0.2.0/24")))
        #expect(try socket.passes(route("203.0.113.0/24")))
    }
}
