internal import Testing

@testable internal import NetlinkMonitor

/// The path that a program gets from a snapshot: the kernel's answer and the conditions that it does not contain.
struct NetworkPathTests {
    /// A network with a route through `if0`, and the path that follows.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var link = Self.link(3, "if0")
        var others: [Link] = []
        var outcome: RouteLookup.Outcome?
        var source: String? = "192.0.2.7"
        var sourceFlags: InterfaceAddress.Flags = [.permanent]
        /// The underlays by the tunnel's index.
        var underlays: [UInt32: Underlay] = [:]
        /// The evidence for the underlay of the path.
        var evidence: Underlay.Evidence?
        var reason: NetworkPath.UnusableReason?
        let text: String

        static func link(
            _ index: UInt32,
            _ name: String,
            _ kind: InterfaceKind = .wifi,
            flags: LinkFlags = [.up, .lowerUp],
            state: OperationalState = .up,
            driver: String? = nil,
            lower: UInt32? = nil,
            master: UInt32? = nil,
            active: UInt32? = nil
        ) -> Link {
            Link(
                index: index,
                name: name,
                flags: flags,
                operationalState: state,
                driverKind: driver,
                lowerIndex: lower,
                masterIndex: master,
                activeMemberIndex: active,
                classification: InterfaceClassification(kind: kind, evidence: [])
            )
        }

        static func refused(_ refusal: RouteLookup.Refusal, _ reason: NetworkPath.UnusableReason, _ text: String)
            -> Case
        {
            Case(testDescription: text, outcome: .refused(refusal), reason: reason, text: "none: \(text)")
        }
    }

    private static let bridge = Case.link(3, "br0", .wired, driver: "bridge")
    private static let guest = Case.link(5, "vnet0", .virtual, driver: "veth", master: 3)
    private static let tunnel = Case.link(3, "wg0", .tunnel, state: .unknown, driver: "wireguard")

    private static func port(isUp: Bool) -> Link {
        Case.link(4, "eth0", .wired, flags: isUp ? [.up, .lowerUp] : [.up], state: isUp ? .up : .down, master: 3)
    }

    private static let connection = Case.link(3, "qmapmux0.0", .wwan, driver: "rmnet", lower: 4)
    private static let idleMember = Case.link(5, "eth1", .wired, master: 3)

    private static func lower(isUp: Bool) -> Link {
        Case.link(4, "wwan0", .wwan, flags: isUp ? [.up, .lowerUp] : [.up], state: isUp ? .up : .down)
    }

    private static let cases: [Case] = [
        Case(testDescription: "everything is there", text: "wifi via 192.0.2.1 dev if0 src 192.0.2.7"),
        Case(
            testDescription: "no carrier, and the kernel still answers",
            link: Case.link(3, "if0", flags: [.up], state: .down),
            reason: .linkDown,
            text: "none: if0 cannot pass packets"
        ),
        Case(
            testDescription: "associated without keys",
            link: Case.link(3, "if0", state: .dormant),
            reason: .linkDormant,
            text: "none: if0 waits for its keys"
        ),
        Case(
            testDescription: "a bridge whose uplink port is up",
            link: bridge,
            others: [guest, port(isUp: true)],
            text: "wired via 192.0.2.1 dev br0 src 192.0.2.7"
        ),
        Case(
            testDescription: "a bridge whose guest is up and whose uplink port is down",
            link: bridge,
            others: [guest, port(isUp: false)],
            reason: .linkDown,
            text: "none: br0 cannot pass packets"
        ),
        Case(
            testDescription: "a bond without link monitoring whose only member has no carrier",
            link: Case.link(3, "bond0", .wired, driver: "bond"),
            others: [port(isUp: false)],
            reason: .linkDown,
            text: "none: bond0 cannot pass packets"
        ),
        Case(
            testDescription: "a bond of two members, one of them without carrier",
            link: Case.link(3, "bond0", .wired, driver: "bond"),
            others: [port(isUp: false), idleMember],
            text: "wired via 192.0.2.1 dev bond0 src 192.0.2.7"
        ),
        Case(
            testDescription: "a bond whose active member has no carrier",
            link: Case.link(3, "bond0", .wired, driver: "bond", active: 4),
            others: [port(isUp: false), idleMember],
            reason: .linkDown,
            text: "none: bond0 cannot pass packets"
        ),
        Case(
            testDescription: "a bond whose active member is up",
            link: Case.link(3, "bond0", .wired, driver: "bond", active: 5),
            others: [port(isUp: false), idleMember],
            text: "wired via 192.0.2.1 dev bond0 src 192.0.2.7"
        ),
        Case(
            testDescription: "a connection of a multiplexed modem",
            link: connection,
            others: [lower(isUp: true)],
            text: "wwan via 192.0.2.1 dev qmapmux0.0 src 192.0.2.7"
        ),
        Case(
            testDescription: "a connection of a multiplexed modem without carrier",
            link: connection,
            others: [lower(isUp: false)],
            reason: .linkDown,
            text: "none: qmapmux0.0 cannot pass packets"
        ),
        Case(
            testDescription: "a dummy",
            link: Case.link(3, "if0", .virtual, driver: "dummy"),
            reason: .leadsNowhere,
            text: "none: the route ends at this machine"
        ),
        Case(
            testDescription: "no source",
            source: nil,
            reason: .noAddress,
            text: "none: if0 has no usable source address"
        ),
        Case(
            testDescription: "only a link-local source",
            source: "169.254.3.4",
            reason: .noAddress,
            text: "none: if0 has no usable source address"
        ),
        Case(
            testDescription: "a tentative source",
            sourceFlags: [.tentative],
            reason: .addressTentative,
            text: "none: the source address of if0 is tentative"
        ),
        Case(
            testDescription: "a tunnel whose underlay is up",
            link: tunnel,
            others: [lower(isUp: true)],
            underlays: [3: Underlay(interfaceIndex: 4, evidence: .remoteRoute)],
            evidence: .remoteRoute,
            text: "wwan via 192.0.2.1 dev wg0 src 192.0.2.7 over wwan0"
        ),
        Case(
            testDescription: "a tunnel whose underlay is down",
            link: tunnel,
            others: [lower(isUp: false)],
            underlays: [3: Underlay(interfaceIndex: 4, evidence: .remoteRoute)],
            evidence: .remoteRoute,
            reason: .underlayDown,
            text: "none: the underlay of wg0 is down"
        ),
        Case(
            testDescription: "a tunnel whose guessed underlay is down",
            link: tunnel,
            others: [lower(isUp: false)],
            underlays: [3: Underlay(interfaceIndex: 4, evidence: .nextDefaultRoute)],
            evidence: .nextDefaultRoute,
            text: "wwan via 192.0.2.1 dev wg0 src 192.0.2.7 over wwan0 (a guess)"
        ),
        Case(
            testDescription: "a tunnel whose guessed underlay is a session over a link that is down",
            link: tunnel,
            others: [Case.link(8, "ppp0", .ppp), lower(isUp: false)],
            underlays: [
                3: Underlay(interfaceIndex: 8, evidence: .markExemption),
                8: Underlay(interfaceIndex: 4, evidence: .pppoe),
            ],
            evidence: .markExemption,
            text: "wwan via 192.0.2.1 dev wg0 src 192.0.2.7 over wwan0 (a guess)"
        ),
        Case(
            testDescription: "a tunnel over a session over a link that is down",
            link: tunnel,
            others: [Case.link(8, "ppp0", .ppp), lower(isUp: false)],
            underlays: [
                3: Underlay(interfaceIndex: 8, evidence: .lowerDevice),
                8: Underlay(interfaceIndex: 4, evidence: .pppoe),
            ],
            evidence: .pppoe,
            reason: .underlayDown,
            text: "none: the underlay of wg0 is down"
        ),
        Case(
            testDescription: "a tunnel over one without a carrier",
            link: tunnel,
            others: [Case.link(8, "wg1", .tunnel)],
            underlays: [
                3: Underlay(interfaceIndex: 8, evidence: .remoteRoute),
                8: Underlay(interfaceIndex: nil, evidence: .noCarrier),
            ],
            evidence: .noCarrier,
            reason: .underlayDown,
            text: "none: the underlay of wg0 is down"
        ),
        Case(
            testDescription: "an interface that the kernel has not announced yet",
            link: Case.link(8, "if8"),
            reason: .linkDown,
            text: "none: #3 cannot pass packets"
        ),
        .refused(.noRoute, .noRoute, "no route"),
        .refused(.unreachable, .routeUnreachable, "an unreachable route"),
        .refused(.blackhole, .routeBlackhole, "a blackhole route"),
        .refused(.prohibited, .routeProhibited, "a prohibit route"),
        .refused(.failed(errno: 5), .lookupFailed, "the lookup failed"),
    ]

    @Test("the path is usable when every condition holds, and else names the one that fails", arguments: cases)
    func conditions(_ row: Case) throws {
        let internet = try ip("198.41.0.4")
        let source = try row.source.map(ip)
        let route = ResolvedRoute(interfaceIndex: 3, gateway: try ip("192.0.2.1"), source: source)
        let snapshot = NetworkSnapshot(
            links: [row.link] + row.others,
            addresses: source.map {
                [InterfaceAddress(interfaceIndex: 3, address: $0, prefixLength: 24, flags: row.sourceFlags)]
            } ?? [],
            lookups: [RouteLookup(destination: internet, outcome: row.outcome ?? .route(route))],
            underlays: row.underlays,
            internetAddresses: [internet]
        )
        let path = try #require(snapshot.internetPath(.ipv4))
        #expect(path.isUsable == (row.reason == nil))
        #expect(path.unusableReason == row.reason)
        #expect(path.underlay?.evidence == row.evidence)
        #expect(path.description == row.text)
        #expect(path.route == (row.outcome == nil ? route : nil))
        #expect(snapshot.path(to: internet) == path)
    }

    @Test("the table has every reason")
    func everyReason() {
        #expect(Set(Self.cases.compactMap(\.reason)) == Set(NetworkPath.UnusableReason.allCases))
    }

    @Test(
        arguments: [
            (nil, [], .noAddress), ([.permanent], [], nil), ([.tentative], [], .addressTentative),
            ([.tentative, .duplicateDetected], [], .noAddress), (nil, .noARP, nil),
        ] as [(InterfaceAddress.Flags?, LinkFlags, NetworkPath.UnusableReason?)],
        [3, 7] as [UInt32]
    )
    func `IPv4 through an IPv6 router needs the interface's link-local address`(
        _ row: (linkLocal: InterfaceAddress.Flags?, flags: LinkFlags, reason: NetworkPath.UnusableReason?),
        owner: UInt32
    ) throws {
        let internet = try ip("198.41.0.4")
        let source = try ip("192.0.2.7")
        let linkLocal = try row.linkLocal.map {
            InterfaceAddress(interfaceIndex: 3, address: try ip("fe80::7"), prefixLength: 64, flags: $0)
        }
        func reason(through router: String) throws -> NetworkPath.UnusableReason? {
            let route = ResolvedRoute(interfaceIndex: 3, gateway: try ip(router), source: source)
            let snapshot = NetworkSnapshot(
                links: [
                    Case.link(3, "if0", flags: row.flags.union([.up, .lowerUp])),
                    Case.link(7, "lo", .loopback, flags: [.up, .lowerUp, .loopback]),
                ],
                addresses: [InterfaceAddress(interfaceIndex: owner, address: source, prefixLength: 24)]
                    + [linkLocal].compactMap { $0 },
                lookups: [RouteLookup(destination: internet, outcome: .route(route))],
                internetAddresses: [internet]
            )
            return try #require(snapshot.internetPath(.ipv4)).unusableReason
        }
        #expect(try reason(through: "fe80::1") == row.reason)
        #expect(try reason(through: "192.0.2.1") == nil)
    }

    @Test("of a multipath route one usable leg is enough, whichever the kernel names", arguments: [true, false])
    func legs(secondIsUp: Bool) throws {
        let internet = try ip("198.41.0.4")
        let hops = try [(UInt32(3), "192.0.2.1"), (4, "198.51.100.1")].map {
            NextHop(interfaceIndex: $0, gateway: try ip($1), weight: 1)
        }
        let addresses = try [(UInt32(3), "192.0.2.7"), (4, "198.51.100.7")].map {
            InterfaceAddress(interfaceIndex: $0, address: try ip($1), prefixLength: 24)
        }
        let named = ResolvedRoute(interfaceIndex: 3, gateway: hops[0].gateway, source: addresses[0].address)
        let matched = Route(destination: try prefix("0.0.0.0/0"), nextHops: hops)
        let lookup = RouteLookup(destination: internet, outcome: .route(named), matched: matched)
        let snapshot = NetworkSnapshot(
            links: [Case.link(3, "if0", flags: [.up], state: .down), Self.lower(isUp: secondIsUp)],
            addresses: addresses,
            lookups: [lookup],
            internetAddresses: [internet]
        )
        let path = try #require(snapshot.internetPath(.ipv4))
        #expect(path.isUsable == secondIsUp)
        #expect(path.link?.name == (secondIsUp ? "wwan0" : "if0"))
        #expect(path.kind == (secondIsUp ? .wwan : .wifi))
    }

    /// The use of an interface by a path.
    enum Use: CaseIterable { case egress, otherLeg, underlay }

    @Test(arguments: Use.allCases, [true, false])
    func `a path is not certain over an interface that an unsynchronized snapshot lacks`(
        use: Use,
        isSynchronized: Bool
    ) throws {
        let internet = try ip("198.41.0.4")
        let hops = try [(UInt32(3), "192.0.2.1"), (4, "198.51.100.1")].map {
            NextHop(interfaceIndex: $0, gateway: try ip($1))
        }
        let addresses = try [(UInt32(3), "192.0.2.7"), (4, "198.51.100.7")].map {
            InterfaceAddress(interfaceIndex: $0, address: try ip($1), prefixLength: 24)
        }
        let first =
            switch use {
            case .egress: Case.link(3, "if0")
            case .otherLeg: Case.link(3, "if0", flags: [.up], state: .down)
            case .underlay: Self.tunnel
            }
        let links = [first, Self.lower(isUp: true)]
        let lacking: UInt32 = use == .egress ? 3 : 4
        let route = ResolvedRoute(interfaceIndex: 3, gateway: hops[0].gateway, source: addresses[0].address)
        let matched = Route(destination: .everything(.ipv4), nextHops: use == .otherLeg ? hops : [hops[0]])
        func path(_ links: [Link]) throws -> NetworkPath {
            let snapshot = NetworkSnapshot(
                links: links,
                addresses: addresses,
                lookups: [RouteLookup(destination: internet, outcome: .route(route), matched: matched)],
                underlays: use == .underlay ? [3: Underlay(interfaceIndex: 4, evidence: .remoteRoute)] : [:],
                internetAddresses: [internet],
                isSynchronized: isSynchronized
            )
            return try #require(snapshot.internetPath(.ipv4))
        }
        let whole = try path(links)
        #expect(whole.isUsable && whole.isCertain)
        let part = try path(links.filter { $0.index != lacking })
        #expect(part.isCertain == isSynchronized)
        guard isSynchronized else { return }
        #expect(part.unusableReason == (use == .underlay ? .underlayDown : .linkDown))
    }

    @Test("that no uplink can carry a tunnel is certain only in a synchronized view", arguments: [true, false])
    func noCarrier(isSynchronized: Bool) throws {
        let internet = try ip("198.41.0.4")
        let source = try ip("192.0.2.7")
        let snapshot = NetworkSnapshot(
            links: [Self.tunnel],
            addresses: [InterfaceAddress(interfaceIndex: 3, address: source, prefixLength: 24)],
            lookups: [
                RouteLookup(destination: internet, outcome: .route(ResolvedRoute(interfaceIndex: 3, source: source)))
            ],
            underlays: [3: Underlay(interfaceIndex: nil, evidence: .noCarrier)],
            internetAddresses: [internet],
            isSynchronized: isSynchronized
        )
        let path = try #require(snapshot.internetPath(.ipv4))
        #expect(path.isCertain == isSynchronized)
        #expect(path.unusableReason == (isSynchronized ? .underlayDown : nil))
    }

    @Test("an obstacle that is known is certain, whatever the underlay")
    func knownObstacle() throws {
        let internet = try ip("198.41.0.4")
        let snapshot = NetworkSnapshot(
            links: [Case.link(3, "wg0", .tunnel, flags: [], state: .down, driver: "wireguard")],
            lookups: [RouteLookup(destination: internet, outcome: .route(ResolvedRoute(interfaceIndex: 3)))],
            underlays: [3: Underlay(interfaceIndex: 4, evidence: .remoteRoute)],
            internetAddresses: [internet],
            isSynchronized: false
        )
        let path = try #require(snapshot.internetPath(.ipv4))
        #expect(path.isCertain)
        #expect(path.unusableReason == .linkDown)
    }

    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("::", "::1")])
    func `the unspecified address leads to this machine`(destination: String, source: String) throws {
        let route = ResolvedRoute(interfaceIndex: 1, source: try ip(source), table: Route.localTable, type: .local)
        let lookup = RouteLookup(destination: try ip(destination), outcome: .route(route))
        let snapshot = NetworkSnapshot(
            links: [Case.link(1, "lo", .loopback, flags: [.up, .lowerUp, .loopback], state: .unknown)],
            addresses: [InterfaceAddress(interfaceIndex: 1, address: try ip(source), prefixLength: 8)],
            lookups: [lookup]
        )
        #expect(try #require(snapshot.path(to: lookup.destination)).isUsable)
    }

    @Test("an address that is not looked up has no path")
    func notLookedUp() throws {
        #expect(NetworkSnapshot().path(to: try ip("192.0.2.9")) == nil)
        #expect(AddressFamily.allCases.allSatisfy { NetworkSnapshot().internetPath($0) == nil })
    }
}
