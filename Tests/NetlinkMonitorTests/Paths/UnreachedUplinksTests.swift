internal import Testing

@testable internal import NetlinkMonitor

/// Default routes that the kernel never comes to: in tables to which no rule leads, or behind a refusal.
struct UnreachedUplinksTests {
    /// Rules and default routes of IPv4; `wlan0` is interface 4, the preferred `eth0` is 3.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var rules: [RoutingRule] = []
        let routes: [Route]
        /// The groups of interfaces that are in another group than 0.
        var groups: [UInt32: UInt32] = [:]
        var addresses: [InterfaceAddress] = []
        let unreached: Set<UInt32>
    }

    private static func rule(
        _ priority: UInt32,
        table: UInt32 = 254,
        action: UInt8 = 1,
        suppressed: UInt32? = nil,
        suppressedGroup: UInt32? = nil,
        mark: UInt32? = nil,
        source: IPPrefix? = nil,
        hasOtherSelectors: Bool = false,
        isInverted: Bool = false,
        goto: UInt32? = nil,
        _ family: AddressFamily = .ipv4
    ) -> RoutingRule {
        RoutingRule(
            family: family,
            priority: priority,
            table: table,
            action: action,
            mark: mark,
            source: source,
            hasOtherSelectors: hasOtherSelectors,
            suppressedPrefixLength: suppressed,
            suppressedGroup: suppressedGroup,
            isInverted: isInverted,
            gotoPriority: goto
        )
    }

    private static func route(
        over interface: UInt32? = nil,
        _ type: RouteType = .unicast,
        table: UInt32 = 254,
        metric: UInt32,
        _ family: AddressFamily = .ipv4
    ) -> Route {
        Route(
            destination: .everything(family),
            table: table,
            type: type,
            metric: metric,
            nextHops: interface.map { [NextHop(interfaceIndex: $0)] } ?? []
        )
    }

    private static let main = rule(32766)
    private static let standby = route(over: 4, metric: 600)
    /// A table whose last route refuses the packets that the preferred one does not take.
    private static let closedTable = [
        route(over: 3, table: 60, metric: 10), route(.blackhole, table: 60, metric: 1000),
    ]

    static let rows = [
        Row(
            testDescription: "no refusal",
            rules: [main],
            routes: [route(over: 3, metric: 10), standby],
            unreached: []
        ),
        Row(
            testDescription: "a blackhole behind the preferred route in its table",
            rules: [rule(600, table: 60), main],
            routes: closedTable + [standby],
            unreached: [4]
        ),
        Row(
            testDescription: "that table, of which a rule accepts no default route",
            rules: [rule(600, table: 60, suppressed: 0), main],
            routes: closedTable + [standby],
            unreached: [3, 4]
        ),
        Row(
            testDescription: "that table, with a throw before the blackhole",
            rules: [rule(600, table: 60), main],
            routes: [
                route(over: 3, table: 60, metric: 10), route(.throw, table: 60, metric: 20),
                route(.blackhole, table: 60, metric: 1000), standby,
            ],
            unreached: []
        ),
        Row(
            testDescription: "that table, for marked packets",
            rules: [rule(600, table: 60, mark: 7), main],
            routes: closedTable + [standby],
            unreached: [3]
        ),
        Row(
            testDescription: "a refusal behind both in one table",
            rules: [main],
            routes: [route(over: 3, metric: 10), standby, route(.unreachable, metric: 1000)],
            unreached: []
        ),
        Row(
            testDescription: "a refusal between the two in one table",
            rules: [main],
            routes: [route(over: 3, metric: 10), route(.prohibit, metric: 100), standby],
            unreached: [4]
        ),
        Row(
            testDescription: "the missing route of older kernels",
            rules: [main],
            routes: [route(over: 3, metric: 10), standby, route(.unreachable, metric: .max)],
            unreached: []
        ),
        Row(
            testDescription: "a rule that refuses, before the standby's table",
            rules: [rule(500, table: 60), rule(600, table: 0, action: 6), main],
            routes: [route(over: 3, table: 60, metric: 10), standby],
            unreached: [4]
        ),
        Row(
            testDescription: "a rule that refuses, which a goto skips",
            rules: [rule(500, action: 2, goto: 700), rule(600, table: 0, action: 6), rule(700)],
            routes: [route(over: 3, metric: 10), standby],
            unreached: []
        ),
        Row(
            testDescription: "a refusal in one family alone",
            rules: [rule(600, table: 60), main, rule(32766, .ipv6)],
            routes: closedTable + [standby, route(over: 4, metric: 600, .ipv6)],
            unreached: []
        ),
        Row(
            testDescription: "no policy routing",
            routes: [route(over: 3, metric: 10), standby, route(over: 5, table: 60, metric: 0)],
            unreached: [5]
        ),
    ]

    /// The standby is in a table of its own, and the preferred uplink in the main one.
    private static func beside(_ rule: RoutingRule?, isReached: Bool, _ description: String) -> Row {
        Row(
            testDescription: description,
            rules: [rule, main].compactMap { $0 },
            routes: [route(over: 3, metric: 10), route(over: 4, table: 60, metric: 0)],
            unreached: isReached ? [] : [4]
        )
    }

    static func tables() throws -> [Row] {
        let source = try prefix("198.51.100.2/32")
        return [
            beside(rule(600, table: 60), isReached: true, "a rule for all packets"),
            beside(rule(600, table: 60, source: source), isReached: false, "a rule for a source"),
            beside(rule(600, table: 60, mark: 1), isReached: false, "a rule for a mark"),
            beside(rule(600, table: 60, mark: 1, isInverted: true), isReached: true, "a rule for all other marks"),
            beside(nil, isReached: false, "a table without a rule, such as a VRF's"),
            beside(rule(600, table: 60, hasOtherSelectors: true), isReached: false, "a rule for a user, for example"),
            beside(
                rule(600, table: 60, hasOtherSelectors: true, isInverted: true),
                isReached: false,
                "a rule for all but a user"
            ),
            beside(
                rule(600, table: 60, source: source, hasOtherSelectors: true),
                isReached: false,
                "a rule for a source and a user"
            ),
            beside(
                rule(600, table: 60, source: source, hasOtherSelectors: true, isInverted: true),
                isReached: true,
                "a rule for all but a source and a user"
            ),
            Row(
                testDescription: "wg-quick's rules, whose first use of the main table accepts no default route",
                rules: [rule(600, suppressed: 0), rule(601, table: 60), main],
                routes: [route(over: 3, table: 60, metric: 0), standby],
                unreached: []
            ),
            Row(
                testDescription: "a refusal for a user, who may be another one",
                rules: [rule(600, table: 60, hasOtherSelectors: true), main],
                routes: closedTable + [standby],
                unreached: [3]
            ),
            Row(
                testDescription: "a goto for a user, who may be another one",
                rules: [rule(600, action: 2, hasOtherSelectors: true, goto: 700), rule(601, table: 60), rule(700)],
                routes: [route(over: 3, table: 60, metric: 0), standby],
                unreached: []
            ),
        ]
    }

    @Test(arguments: try tables())
    func `an uplink is not reached if no rule leads packets without further conditions to its table`(
        _ row: Row
    ) throws {
        try check(row)
    }

    @Test(arguments: rows)
    func `an uplink is not reached if a refusal comes before its default route in each of its families`(
        _ row: Row
    ) throws {
        try check(row)
    }

    static let groups = [
        Row(
            testDescription: "the group of the standby",
            rules: [rule(600, suppressedGroup: 7)],
            routes: [route(over: 3, metric: 10), standby],
            groups: [4: 7],
            unreached: [4]
        ),
        Row(
            testDescription: "another group",
            rules: [rule(600, suppressedGroup: 8)],
            routes: [route(over: 3, metric: 10), standby],
            groups: [4: 7],
            unreached: []
        ),
        Row(
            testDescription: "the default group",
            rules: [rule(600, suppressedGroup: 0)],
            routes: [route(over: 3, metric: 10), standby],
            groups: [4: 7],
            unreached: [3]
        ),
        Row(
            testDescription: "the group of the standby, before a rule that ignores none",
            rules: [rule(600, suppressedGroup: 7), main],
            routes: [route(over: 3, metric: 10), standby],
            groups: [4: 7],
            unreached: []
        ),
    ]

    @Test(arguments: groups)
    func `an uplink is not reached by a rule that ignores the group of its interface`(_ row: Row) throws {
        try check(row)
    }

    /// Rules for the source of the standby, in which a connected socket is looked up again.
    static func sources() throws -> [Row] {
        let own = InterfaceAddress(interfaceIndex: 4, address: try ip("198.51.100.2"), prefixLength: 24)
        func row(_ description: String, _ rule: RoutingRule, _ closed: Route? = nil, isReached: Bool) -> Row {
            Row(
                testDescription: description,
                rules: [rule, main],
                routes: [closed, route(over: 3, metric: 10), standby].compactMap { $0 },
                addresses: [own],
                unreached: isReached ? [] : [4]
            )
        }
        let (source, other) = (try prefix("198.51.100.2/32"), try prefix("192.0.2.2/32"))
        let closed = route(.unreachable, table: 60, metric: 0)
        return [
            row("a rule that refuses it", rule(600, table: 0, action: 7, source: source), isReached: false),
            row("a rule that refuses another one", rule(600, table: 0, action: 7, source: other), isReached: true),
            row("a table that refuses it", rule(600, table: 60, source: source), closed, isReached: false),
            row("a table that refuses another one", rule(600, table: 60, source: other), closed, isReached: true),
            row("a table without a default route", rule(600, table: 60, source: source), isReached: true),
            row(
                "a table with its default route",
                rule(600, table: 60, source: source),
                route(over: 4, table: 60, metric: 0),
                isReached: true
            ),
            row(
                "a refusal for a user with it",
                rule(600, table: 0, action: 7, source: source, hasOtherSelectors: true),
                isReached: true
            ),
        ]
    }

    @Test(arguments: try sources())
    func `an uplink is not reached if packets from its address are refused`(_ row: Row) throws {
        try check(row)
    }

    private func check(_ row: Row) throws {
        let snapshot = NetworkSnapshot(
            links: row.groups.map { Link(index: $0.key, name: "if\($0.key)", group: $0.value) },
            addresses: row.addresses,
            defaultRoutes: row.routes,
            rules: row.rules,
            internetAddresses: try ["198.41.0.4", "2001:503:ba3e::2:30"].map(ip)
        )
        #expect(snapshot.unreachedUplinks == row.unreached)
    }

    @Test func `a refusal for some sources alone refuses no others`() throws {
        let refusal = Route(
            destination: .everything(.ipv6),
            type: .blackhole,
            metric: 1,
            sourcePrefix: try prefix("2001:db8:1::/64")
        )
        let snapshot = NetworkSnapshot(
            defaultRoutes: [refusal, Self.route(over: 4, metric: 600, .ipv6)],
            rules: [RoutingRule(family: .ipv6, priority: 32766, table: 254)],
            internetAddresses: [try ip("2001:503:ba3e::2:30")]
        )
        #expect(snapshot.unreachedUplinks == [])
    }
}
