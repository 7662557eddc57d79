internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

struct RouteMessageTests {
    /// One route as it travels, and as it is understood.
    struct Row: Sendable, CustomTestStringConvertible {
        let destination: String
        var table: UInt32 = 254
        var metric: UInt32 = 0
        var type: RouteType = .unicast
        var hops: [(interface: UInt32?, gateway: String?)] = []
        var source: String?
        var object: UInt32?
        /// `true` if the router of the first next hop is marked as on the link.
        var isOnLink = false
        var typeOfService: UInt8?

        var testDescription: String { "\(type) \(destination) table \(table)" }

        func value() throws -> Route {
            Route(
                destination: try prefix(destination),
                table: table,
                protocol: 16,
                type: type,
                metric: metric,
                preferredSource: try source.map(ip),
                nextHops: try hops.enumerated().map {
                    NextHop(
                        interfaceIndex: $0.element.interface,
                        gateway: try $0.element.gateway.map(ip),
                        weight: hops.count > 1 ? $0.offset + 1 : 1,
                        isOnLink: isOnLink && $0.offset == 0
                    )
                },
                nextHopObject: object,
                typeOfService: typeOfService
            )
        }
    }

    @Test(
        "an encoded route is parsed back unchanged",
        arguments: [
            Row(destination: "0.0.0.0/0", metric: 600, hops: [(3, "192.168.50.1")], source: "192.168.50.2"),
            Row(destination: "::/0", metric: 1024, hops: [(3, "fe80::1")]),
            Row(destination: "10.64.0.0/30", hops: [(2, nil)]),
            Row(destination: "0.0.0.0/0", table: 51820, hops: [(7, nil)]),
            Row(destination: "0.0.0.0/0", type: .blackhole),
            Row(destination: "0.0.0.0/0", hops: [(3, "192.0.2.1")], typeOfService: 0x10),
            Row(destination: "2000::/3", type: .unreachable, hops: [(1, nil)]),
            Row(destination: "0.0.0.0/0", hops: [(3, "192.0.2.1"), (4, "192.0.2.5"), (5, nil)]),
            Row(destination: "::/0", hops: [(3, "fe80::1"), (4, "fe80::2")]),
            Row(destination: "0.0.0.0/0", hops: [(3, "fe80::1")]),
            Row(destination: "0.0.0.0/0", hops: [(3, "fe80::1"), (4, "192.0.2.1")]),
            Row(destination: "0.0.0.0/0", hops: [(3, "192.0.2.1")], object: 10),
            Row(destination: "0.0.0.0/0", hops: [(3, "10.1.0.1")], isOnLink: true),
            Row(destination: "::/0", hops: [(3, "2001:db8::1"), (4, "fe80::2")], isOnLink: true),
        ]
    )
    func roundTrip(_ row: Row) throws {
        let route = try row.value()
        #expect(try parse(.route(route)) == .route(route))
        #expect(try parse(.routeRemoved(route)) == .routeRemoved(route))
    }

    @Test("messages of the multicast routing tables are ignored")
    func multicastRouting() throws {
        var message = MessageBuilder.route(try Row(destination: "0.0.0.0/0").value())
        message.fixed[0] = Rtnetlink.familyMulticastRouting
        #expect(try parse(message) == .irrelevant(type: Rtnetlink.newRoute))
    }

    @Test("an unknown route type is kept as such")
    func unknownType() throws {
        var message = MessageBuilder.route(try Row(destination: "0.0.0.0/0").value())
        message.fixed[7] = 200
        guard case .route(let route, _) = try parse(message) else {
            Issue.record("no route came out")
            return
        }
        #expect(route.type == .other)
    }

    @Test("a next hop of an impossible length causes neither a loop nor a partial route", arguments: 0...UInt16(7))
    func brokenHop(length: UInt16) throws {
        var message = MessageBuilder.route(try Row(destination: "0.0.0.0/0").value())
        let good = MessageBuilder.hop(NextHop(interfaceIndex: 3, gateway: try ip("192.0.2.1")), family: .ipv4)
        let bad = MessageBuilder.hop(NextHop(interfaceIndex: 4), family: .ipv4, claimedLength: length)
        message.attributes.append(NetlinkAttribute(Rtnetlink.Route.multipath, good + bad))
        #expect(failure(of: message) == .badAttributeValue(type: Rtnetlink.newRoute, attribute: 9))
    }

    @Test("a next hop that exceeds its attribute is an error")
    func longHop() throws {
        var message = MessageBuilder.route(try Row(destination: "0.0.0.0/0").value())
        let hop = MessageBuilder.hop(NextHop(interfaceIndex: 4), family: .ipv4, claimedLength: 9)
        message.attributes.append(NetlinkAttribute(Rtnetlink.Route.multipath, hop))
        #expect(failure(of: message) == .badAttributeValue(type: Rtnetlink.newRoute, attribute: 9))
    }

    @Test("a prefix too long for its family and an address of the other family are errors")
    func brokenDestination() throws {
        var long = MessageBuilder.route(try Row(destination: "10.0.0.0/8").value())
        long.fixed[1] = 33
        var other = MessageBuilder.route(try Row(destination: "10.0.0.0/8").value())
        other.attributes = [.address(Rtnetlink.Route.destination, try ip("2001:db8::"))]
        #expect(failure(of: long) == .badAttributeValue(type: Rtnetlink.newRoute, attribute: 1))
        #expect(failure(of: other) == .badAttributeValue(type: Rtnetlink.newRoute, attribute: 1))
    }

    @Test("the source prefix of a default route is read")
    func sourceSpecific() throws {
        let route = Route(
            destination: .everything(.ipv6),
            nextHops: [NextHop(interfaceIndex: 3, gateway: try ip("fe80::1"))],
            sourcePrefix: try prefix("2001:db8:1::/64")
        )
        #expect(try parse(.route(route)) == .route(route))
    }

    @Test("a lifetime is read in ticks of 10 ms, and 0 means none", arguments: [(300, 3000), (-5, -50), (0, nil)])
    func lifetime(ticks: Int32, milliseconds: Int?) throws {
        let route = try Row(destination: "::/0").value()
        let expected = milliseconds.map { Duration.milliseconds($0) }
        #expect(try parse(.route(route, expiresInTicks: ticks)) == .route(route, expiresIn: expected))
    }

    @Test("a truncated lifetime is an error")
    func brokenLifetime() throws {
        var message = MessageBuilder.route(try Row(destination: "::/0").value())
        message.attributes.append(NetlinkAttribute(Rtnetlink.Route.cacheInfo, [UInt8](repeating: 0, count: 11)))
        #expect(failure(of: message) == .badAttributeValue(type: Rtnetlink.newRoute, attribute: 12))
    }

    @Test("a nexthop object has either a next hop or members")
    func nextHopObjects() throws {
        let hop = NextHop(interfaceIndex: 3, gateway: try ip("2001:db8::1"))
        let single = NextHopObject(number: 10, hop: hop)
        #expect(try parse(.nextHopObject(10, hop: hop)) == .nextHopObject(single, removed: false))
        let marked = NextHop(interfaceIndex: 3, gateway: hop.gateway, isOnLink: true)
        let object = NextHopObject(number: 10, hop: marked)
        #expect(try parse(.nextHopObject(10, hop: marked)) == .nextHopObject(object, removed: false))
        let group = NextHopObject(
            number: 11,
            members: [
                .init(number: 10, weight: 1), .init(number: 12, weight: 200), .init(number: 13, weight: 256),
                .init(number: 14, weight: 40_000), .init(number: 15, weight: 65_536),
            ]
        )
        let message = MessageBuilder.nextHopObject(
            11,
            members: [(10, 1), (12, 200), (13, 256), (14, 40_000), (15, 65_536)]
        )
        #expect(try parse(message) == .nextHopObject(group, removed: false))
        let gone = NextHopObject(number: 10)
        #expect(try parse(.nextHopObject(10, removed: true)) == .nextHopObject(gone, removed: true))
        #expect(try parse(.nextHopBucket(5, of: 11, nextHop: 12)) == .nextHopBucket)
    }

    @Test("a group that ends in the middle of a member is an error")
    func brokenGroup() {
        var message = MessageBuilder.nextHopObject(11)
        message.attributes.append(NetlinkAttribute(2, [1, 0, 0, 0, 0, 0, 0]))
        #expect(failure(of: message) == .badAttributeValue(type: Rtnetlink.newNextHop, attribute: 2))
    }
}
