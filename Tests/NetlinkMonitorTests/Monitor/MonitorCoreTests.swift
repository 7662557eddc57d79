internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// A monitor's normal course: what it reports when nothing is lost.
struct MonitorCoreTests {
    private let harness: CoreHarness

    init() throws { harness = try CoreHarness(targets: [try ip("192.0.2.1")]) }

    @Test("the first update is complete and has no changes")
    func start() throws {
        try harness.start()
        #expect(harness.events.map(\.word) == ["update"])
        let update = try #require(harness.events.first?.update)
        #expect(update.changes.isEmpty)
        #expect(update.snapshot.isSynchronized)
        #expect(update.snapshot.links.count == 3)
        #expect(update.snapshot.defaultRoutes.count == 1)
        #expect(update.snapshot.rules.count == 2)
        #expect(update.snapshot.internetLookup(.ipv4)?.route?.interfaceIndex == 2)
        #expect(update.snapshot.internetLookup(.ipv6)?.outcome == .refused(.noRoute))
        #expect(try update.snapshot.lookups[ip("192.0.2.1")]?.route?.interfaceIndex == 2)
        #expect(update.snapshot.link(named: "wwan0")?.kind == .wwan)
    }

    @Test func `a route for a type of service is no default route of the machine's packets`() throws {
        let hops = [NextHop(interfaceIndex: 3)]
        harness.network.defaultRoutes.append(
            Route(destination: .everything(.ipv4), metric: 300, nextHops: hops, typeOfService: 0x10)
        )
        try harness.start()
        #expect(harness.lastSnapshot?.defaultRoutes.map(\.metric) == [100])
    }

    @Test("messages queued when the monitor starts are part of the first update")
    func messagesBeforeStart() throws {
        harness.queue.entries = [.datagram(NetlinkDatagram([.link(4, "usb0", [.up, .lowerUp], .up)]))]
        try harness.start()
        #expect(harness.events.map(\.word) == ["update"])
        #expect(harness.lastSnapshot?.link(named: "usb0") != nil)
    }

    @Test("if the kernel cannot be queried, the start fails and nothing is reported")
    func failingStart() throws {
        harness.network.failingLookups = 1
        #expect(throws: NetlinkError.self) { try harness.start() }
        #expect(harness.events.isEmpty)
    }

    @Test("each edge of a link is a separate update, and repeated messages cause none")
    func edges() throws {
        try harness.start()
        _ = harness.takeEvents()
        harness.setLink(2, "eth0", [.up], .down)
        harness.setLink(2, "eth0", [.up], .down)
        harness.setLink(2, "eth0", [.up, .lowerUp], .up)
        harness.turn()
        let codes = harness.events.map { $0.update?.changes.map(\.code) ?? [] }
        #expect(codes == [[.linkDown], [.linkUp]])
    }

    @Test("changes of several links and addresses that are queued together are one update, with one round of lookups")
    func cascade() throws {
        try harness.start()
        _ = harness.takeEvents()
        let address = InterfaceAddress(interfaceIndex: 2, address: try ip("192.0.2.7"), prefixLength: 24)
        harness.setLink(2, "eth0", [.up], .down)
        harness.queue.entries.append(.datagram(NetlinkDatagram([.address(address)])))
        harness.setLink(1, "lo", [.up, .loopback], .down)
        let target = try ip("192.0.2.1")
        let asked = harness.network.questions.count { $0.destination == target }
        harness.turn()
        let codes = harness.events.map { $0.update?.changes.map(\.code) ?? [] }
        #expect(codes == [[.linkDown, .linkDown, .addressAdded]])
        #expect(harness.network.questions.count { $0.destination == target } == asked + 1)
    }

    @Test("a link that comes back while another one goes is two updates, the first with both changes before it")
    func flapBesideAnother() throws {
        try harness.start()
        _ = harness.takeEvents()
        harness.setLink(2, "eth0", [.up], .down)
        harness.setLink(1, "lo", [.up, .loopback], .down)
        harness.setLink(2, "eth0", [.up, .lowerUp], .up)
        harness.turn()
        let changes = harness.events.map { $0.update?.changes.map { "\($0.interfaceName ?? "") \($0.code)" } ?? [] }
        #expect(changes == [["lo linkDown", "eth0 linkDown"], ["eth0 linkUp"]])
    }

    @Test("an address that goes and comes back is two updates, of one family, and one beside another family's")
    func addresses() throws {
        let old = InterfaceAddress(interfaceIndex: 2, address: try ip("192.0.2.7"), prefixLength: 24)
        let other = InterfaceAddress(interfaceIndex: 2, address: try ip("2001:db8::7"), prefixLength: 64)
        harness.queue.entries = [.datagram(NetlinkDatagram([.address(old)]))]
        try harness.start()
        _ = harness.takeEvents()
        harness.queue.entries = [.addressRemoved(old), .address(other), .address(old)].map {
            .datagram(NetlinkDatagram([$0]))
        }
        harness.turn()
        let codes = harness.events.map { $0.update?.changes.map(\.code) ?? [] }
        #expect(codes.count == 2 && codes.first?.prefix(2) == [.addressRemoved, .addressAdded])
        #expect(codes.last == [.addressAdded])
    }

    @Test("a default route that disappears silently with its link is found missing in the same update")
    func silentRoute() throws {
        try harness.start()
        _ = harness.takeEvents()
        harness.network.setDefault(3)
        harness.setLink(2, "eth0", [], .down)
        harness.turn()
        let changes = try #require(harness.events.first?.update?.changes)
        #expect(harness.events.count == 1)
        #expect(changes.map(\.code).prefix(3) == [.linkDown, .routeRemoved, .routeAdded])
        #expect(changes.map(\.code).last == .lookupChanged)
        #expect(harness.lastSnapshot?.internetLookup(.ipv4)?.route?.interfaceIndex == 3)
    }

    @Test("a default route that is removed between the reading of its table and the lookups is the cause")
    func removedMeanwhile() throws {
        try harness.start()
        _ = harness.takeEvents()
        // The kernel announces the removal first.
        let message = MessageBuilder.routeRemoved(try #require(harness.network.defaultRoutes.first))
        harness.queue.entries = [.datagram(NetlinkDatagram([message]))]
        harness.network.beforeNextLookups = { [network = harness.network] in network.setDefault(nil) }
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.first?.code == .routeRemoved)
        #expect(update.changes.dropFirst().allSatisfy { $0.code == .lookupChanged } && update.changes.count > 1)
        #expect(update.snapshot.defaultRoutes.isEmpty)
        #expect(update.snapshot.internetLookup(.ipv4)?.outcome == .refused(.noRoute))
    }

    @Test(
        "a default route that is added between the reading of its table and the lookups is the cause",
        arguments: [Route.mainTable, 100]
    )
    func addedMeanwhile(table: UInt32) throws {
        harness.network.setDefault(nil)
        harness.network.rules.append(RoutingRule(family: .ipv4, priority: 100, table: 100))
        try harness.start()
        _ = harness.takeEvents()
        let route = Route(
            destination: .everything(.ipv4),
            table: table,
            metric: 100,
            nextHops: [NextHop(interfaceIndex: 2)]
        )
        // The kernel announces the address first, then the route.
        let address = InterfaceAddress(interfaceIndex: 2, address: try ip("192.0.2.7"), prefixLength: 24)
        harness.queue.entries = [.datagram(NetlinkDatagram([.address(address)]))]
        harness.network.beforeNextLookups = { [network = harness.network] in network.defaultRoutes = [route] }
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code).contains(.routeAdded))
        #expect(update.snapshot.defaultRoutes == [route])
        #expect(update.snapshot.internetLookup(.ipv4)?.route?.interfaceIndex == 2)
        harness.queue.entries = [.datagram(NetlinkDatagram([.route(route)]))]
        harness.turn()
        #expect(harness.takeEvents().isEmpty)
    }

    @Test("on a kernel without IPv6, a removed IPv4 default route is gone")
    func withoutIPv6() throws {
        harness.network.families = [.ipv4]
        try harness.start()
        let route = try #require(harness.network.defaultRoutes.first)
        #expect(harness.lastSnapshot?.defaultRoutes == [route])
        harness.network.setDefault(nil)
        harness.queue.entries = [.datagram(NetlinkDatagram([MessageBuilder.routeRemoved(route)]))]
        harness.turn()
        #expect(harness.lastSnapshot?.defaultRoutes == [])
    }

    @Test("route messages are coalesced until the queue is empty")
    func routes() throws {
        try harness.start()
        _ = harness.takeEvents()
        harness.network.setDefault(3)
        let routes = harness.network.defaultRoutes.flatMap { [MessageBuilder.routeRemoved($0), .route($0)] }
        harness.queue.entries = (0..<50).flatMap { _ in routes.map { .datagram(NetlinkDatagram([$0])) } }
        harness.turn()
        #expect(harness.events.map(\.word) == ["update"])
        #expect(harness.lastSnapshot?.internetLookup(.ipv4)?.route?.interfaceIndex == 3)
    }

    @Test("a datagram from another process is counted and ignored")
    func foreign() throws {
        try harness.start()
        _ = harness.takeEvents()
        harness.queue.entries = [.foreign, .foreign]
        harness.setLink(3, "wwan0", [], .down)
        harness.turn()
        #expect(harness.core.statistics.foreign == 2)
        #expect(harness.events.map(\.word) == ["update"])
    }

    @Test("the remote and the local address of a tunnel are watched like a target")
    func tunnelRemote() throws {
        try harness.start()
        let remote = try ip("203.0.113.9")
        let local = try ip("192.0.2.7")
        let info = NetlinkAttribute.linkInfo("gre", data: [.address(6, local), .address(7, remote)])
        harness.queue.entries = [.datagram(NetlinkDatagram([.link(9, "gre1", [.up], attributes: [info])]))]
        harness.turn()
        #expect(harness.queue.watched.count == 2)
        #expect(harness.queue.watched.last?.addresses.isSuperset(of: [remote, local]) == true)
    }

    @Test("a storm of 1,000 edges causes few updates and ends in the kernel's state")
    func storm() throws {
        try harness.start()
        _ = harness.takeEvents()
        for number in 0..<1000 {
            harness.network.setDefault(number % 2 == 0 ? 3 : 2, metric: UInt32(number + 1))
            let isUp = number % 2 == 1
            harness.setLink(2, "eth0", isUp ? [.up, .lowerUp] : [.up], isUp ? .up : .down)
        }
        harness.network.setDefault(3, metric: 7)
        harness.setLink(2, "eth0", [], .down)
        harness.turn()
        #expect(harness.events.count <= 65)
        #expect(harness.core.statistics.datagrams == 1001)
        let last = try #require(harness.events.last?.update?.snapshot)
        #expect(last.links[2]?.flags == [])
        #expect(last.defaultRoutes == harness.network.defaultRoutes)
        #expect(last.internetLookup(.ipv4)?.route?.interfaceIndex == 3)
    }
}
