import NetlinkMonitor
import Testing

@testable import Reachability

/// The derivation of a path from the kernel's answer, and from the state of the link and the addresses that it names.
struct PathDerivationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var link = Link(index: 3, name: "if0", flags: [.up, .lowerUp], operationalState: .up)
        var kind = InterfaceKind.wifi
        var outcome: RouteLookup.Outcome?
        var addresses = [InterfaceAddress(interfaceIndex: 3, address: source, prefixLength: 24)]
        var source: IPAddress? = Case.source
        var destination = Case.internet
        let via: Via
        var reason: ReasonCode?
        var testDescription: String { name }

        static let source = address("192.0.2.2")
        static let internet = address("198.41.0.4")
    }

    static func address(_ text: String) -> IPAddress { IPAddress(text) ?? .unspecified(.ipv4) }

    static func link(_ flags: LinkFlags, _ state: OperationalState) -> Link {
        Link(index: 3, name: "if0", flags: flags, operationalState: state)
    }

    static func owned(_ text: String, _ flags: InterfaceAddress.Flags) -> InterfaceAddress {
        InterfaceAddress(interfaceIndex: 3, address: address(text), prefixLength: 64, flags: flags)
    }

    static let cases: [Case] = [
        Case(name: "Wi-Fi", via: .wifi),
        Case(name: "a modem", kind: .wwan, via: .wwan),
        Case(name: "Ethernet", kind: .wired, via: .wired),
        Case(name: "Bluetooth is other", kind: .bluetooth, via: .other),
        Case(name: "a tunnel that nothing tells about is other", kind: .tunnel, via: .other),
        Case(name: "an unknown device is other", kind: .unknown, via: .other),
        Case(name: "operational state unknown is usable", link: link([.up, .lowerUp], .unknown), via: .wifi),
        Case(name: "no carrier", link: link([.up], .down), via: .none, reason: .linkDown),
        Case(
            name: "RUNNING without a carrier is a lie",
            link: link([.up, .running], .unknown),
            via: .none,
            reason: .linkDown
        ),
        Case(name: "associated without keys", link: link([.up, .lowerUp], .dormant), via: .none, reason: .linkDormant),
        Case(name: "administratively down", link: link([.lowerUp], .down), via: .none, reason: .linkDown),
        Case(name: "lower layer down", link: link([.up, .lowerUp], .lowerLayerDown), via: .none, reason: .linkDown),
        Case(name: "no route", outcome: .refused(.noRoute), via: .none, reason: .noRoute),
        Case(name: "unreachable", outcome: .refused(.unreachable), via: .none, reason: .routeUnreachable),
        Case(name: "blackhole", outcome: .refused(.blackhole), via: .none, reason: .routeBlackhole),
        Case(name: "prohibit", outcome: .refused(.prohibited), via: .none, reason: .routeProhibited),
        Case(name: "another errno", outcome: .refused(.failed(errno: 5)), via: .none, reason: .lookupFailed),
        Case(name: "no source address", addresses: [], source: nil, via: .none, reason: .noAddress),
        Case(name: "only a link-local IPv4 address", source: address("169.254.3.4"), via: .none, reason: .noAddress),
        Case(
            name: "only a link-local IPv6 address while another is being checked",
            addresses: [owned("fe80::1", [.permanent]), owned("2001:db8::2", [.tentative])],
            source: address("fe80::1"),
            destination: address("2001:503:ba3e::2:30"),
            via: .none,
            reason: .addressTentative
        ),
        Case(
            name: "the loopback's address, because the interface has none",
            addresses: [],
            source: address("::1"),
            destination: address("2001:503:ba3e::2:30"),
            via: .none,
            reason: .noAddress
        ),
        Case(
            name: "the loopback's address while the interface's is being checked",
            addresses: [owned("2001:db8::2", [.tentative])],
            source: address("::1"),
            destination: address("2001:503:ba3e::2:30"),
            via: .none,
            reason: .addressTentative
        ),
        Case(
            name: "a link-local destination from a link-local address",
            addresses: [owned("fe80::1", [.permanent])],
            source: address("fe80::1"),
            destination: address("fe80::9"),
            via: .wifi
        ),
        Case(
            name: "a source that is still being checked",
            addresses: [owned("2001:db8::2", [.tentative])],
            source: address("2001:db8::2"),
            destination: address("2001:503:ba3e::2:30"),
            via: .none,
            reason: .addressTentative
        ),
        Case(
            name: "a source that somebody else has",
            addresses: [owned("2001:db8::2", [.duplicateDetected, .tentative])],
            source: address("2001:db8::2"),
            destination: address("2001:503:ba3e::2:30"),
            via: .none,
            reason: .noAddress
        ),
        Case(
            name: "an optimistic source",
            addresses: [owned("2001:db8::2", [.tentative, .optimistic])],
            source: address("2001:db8::2"),
            destination: address("2001:503:ba3e::2:30"),
            via: .wifi
        ),
        Case(
            name: "a deprecated source still works",
            addresses: [owned("2001:db8::2", [.deprecated])],
            source: address("2001:db8::2"),
            destination: address("2001:503:ba3e::2:30"),
            via: .wifi
        ),
    ]

    @Test("the path follows the table", arguments: cases)
    func derives(_ pathCase: Case) {
        var link = pathCase.link
        link.classification = InterfaceClassification(kind: pathCase.kind, evidence: [])
        let route = ResolvedRoute(interfaceIndex: 3, gateway: nil, source: pathCase.source)
        let lookup = RouteLookup(destination: pathCase.destination, outcome: pathCase.outcome ?? .route(route))
        let path = Path(lookup, in: NetworkSnapshot(links: [link], addresses: pathCase.addresses))
        #expect(path.via == pathCase.via)
        #expect(path.reason == pathCase.reason)
        #expect(path.interface?.name == (pathCase.outcome == nil ? "if0" : nil))
    }

    @Test(
        "a guessed underlay gives the path its medium but never removes it; a certain one does",
        arguments: Underlay.Evidence.allCases
    )
    func evidence(_ evidence: Underlay.Evidence) {
        var tunnel = Link(index: 9, name: "tun0", flags: [.up, .lowerUp])
        tunnel.classification = InterfaceClassification(kind: .tunnel, evidence: [])
        var modem = Link(index: 4, name: "wwan0", flags: [.up])
        modem.classification = InterfaceClassification(kind: .wwan, evidence: [])
        let route = ResolvedRoute(interfaceIndex: 9, source: Case.source)
        let snapshot = NetworkSnapshot(
            links: [tunnel, modem],
            underlays: [9: Underlay(interfaceIndex: 4, evidence: evidence)]
        )
        let path = Path(RouteLookup(destination: Case.internet, outcome: .route(route)), in: snapshot)
        #expect(path.via == (evidence.isCertain ? .none : .wwan))
        #expect(path.reason == (evidence.isCertain ? .underlayDown : nil))
    }

    @Test(
        "nested tunnels resolve to the medium; a dead one in between, or a loop, loses the path",
        arguments: [
            ("up", [.up, .lowerUp], 4, .wifi), ("the inner one is down", [.up], 4, .none),
            ("a loop", [.up, .lowerUp], 9, .none),
        ] as [(String, LinkFlags, UInt32, Via)]
    )
    func nestedTunnels(_: String, _ flags: LinkFlags, _ bottom: UInt32, _ via: Via) {
        var outer = Link(index: 9, name: "vx2", flags: [.up, .lowerUp])
        var inner = Link(index: 8, name: "vx1", flags: flags)
        for kind in [InterfaceKind.tunnel] {
            outer.classification = InterfaceClassification(kind: kind, evidence: [])
            inner.classification = InterfaceClassification(kind: kind, evidence: [])
        }
        var wifi = Link(index: 4, name: "wlan0", flags: [.up, .lowerUp])
        wifi.classification = InterfaceClassification(kind: .wifi, evidence: [])
        let snapshot = NetworkSnapshot(
            links: [outer, inner, wifi],
            underlays: [
                9: Underlay(interfaceIndex: 8, evidence: .remoteRoute),
                8: Underlay(interfaceIndex: bottom, evidence: .remoteRoute),
            ]
        )
        let route = ResolvedRoute(interfaceIndex: 9, source: Case.source)
        #expect(Path(RouteLookup(destination: Case.internet, outcome: .route(route)), in: snapshot).via == via)
    }

    @Test("a full tunnel has the medium of its underlay, and is lost with it", arguments: [true, false])
    func underlay(isUp: Bool) {
        let tunnel = Link(
            index: 9,
            name: "wg0",
            flags: [.up, .lowerUp],
            classification: InterfaceClassification(kind: .tunnel, evidence: [])
        )
        let modem = Link(
            index: 4,
            name: "wwan0",
            flags: isUp ? [.up, .lowerUp] : [.up],
            classification: InterfaceClassification(kind: .wwan, evidence: [])
        )
        let lookup = RouteLookup(
            destination: Case.internet,
            outcome: .route(ResolvedRoute(interfaceIndex: 9, source: Case.source))
        )
        let path = Path(
            lookup,
            in: NetworkSnapshot(
                links: [tunnel, modem],
                addresses: [InterfaceAddress(interfaceIndex: 9, address: Case.source, prefixLength: 24)],
                underlays: [9: Underlay(interfaceIndex: 4, evidence: .remoteRoute)]
            )
        )
        #expect(path.via == (isUp ? .wwan : .none))
        #expect(path.reason == (isUp ? nil : .underlayDown))
        #expect(path.underlay?.interface?.name == "wwan0")
    }

    @Test(
        "a tunnel is lost while its own packets have no source address that replies can reach",
        arguments: [(nil, Via.wwan), ("2001:db8::2", .wwan), ("2001:db8:9::9", .none), ("fe80::2", .none), ("", .none)]
            as [(String?, Via)]
    )
    func sourceOfUnderlay(_ source: String?, via: Via) throws {
        var tunnel = Link(index: 9, name: "vx0", flags: [.up, .lowerUp])
        tunnel.classification = InterfaceClassification(kind: .tunnel, evidence: [])
        var modem = Link(index: 4, name: "wwan0", flags: [.up, .lowerUp])
        modem.classification = InterfaceClassification(kind: .wwan, evidence: [])
        let remote = try #require(IPAddress("2001:db8::9"))
        let addresses = [
            InterfaceAddress(interfaceIndex: 9, address: Case.source, prefixLength: 24),
            InterfaceAddress(interfaceIndex: 4, address: try #require(IPAddress("2001:db8::2")), prefixLength: 64),
            InterfaceAddress(interfaceIndex: 4, address: try #require(IPAddress("fe80::2")), prefixLength: 64),
            InterfaceAddress(
                interfaceIndex: 4,
                address: try #require(IPAddress("2001:db8:9::9")),
                prefixLength: 64,
                flags: [.tentative]
            ),
        ]
        let lookup = source.map { source in
            let route = ResolvedRoute(interfaceIndex: 4, source: IPAddress(source))
            return RouteLookup(destination: remote, outcome: .route(route))
        }
        let path = Path(
            RouteLookup(
                destination: Case.internet,
                outcome: .route(ResolvedRoute(interfaceIndex: 9, source: Case.source))
            ),
            in: NetworkSnapshot(
                links: [tunnel, modem],
                addresses: addresses,
                underlays: [9: Underlay(interfaceIndex: 4, evidence: .remoteRoute, lookup: lookup)]
            )
        )
        #expect(path.via == via)
        #expect(path.reason == (via == .none ? .underlayDown : nil))
    }

    /// The fixed local address of a tunnel over IPv6, and its owners.
    struct FixedSource: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let owner: UInt32
        var flags: InterfaceAddress.Flags = [.permanent]
        let via: Via
    }

    @Test(
        "a tunnel is lost while its fixed local address is not usable, whichever interface has it",
        arguments: [
            FixedSource(testDescription: "of the egress", owner: 4, via: .wwan),
            FixedSource(testDescription: "of another interface", owner: 5, via: .wwan),
            FixedSource(testDescription: "still being checked", owner: 4, flags: [.tentative], via: .none),
            FixedSource(
                testDescription: "that somebody else has",
                owner: 4,
                flags: [.tentative, .duplicateDetected],
                via: .none
            ),
            FixedSource(testDescription: "of a local route", owner: 0, via: .wwan),
        ]
    )
    func fixedSource(_ row: FixedSource) {
        // Not a global address, which any interface lends.
        let local = Self.address("fd00:1::3")
        let remote = Self.address("fd00:1::1")
        var tunnel = Link(index: 9, name: "vx0", flags: [.up, .lowerUp], tunnelRemote: remote, tunnelLocal: local)
        tunnel.classification = InterfaceClassification(kind: .tunnel, evidence: [])
        var modem = Link(index: 4, name: "wwan0", flags: [.up, .lowerUp])
        modem.classification = InterfaceClassification(kind: .wwan, evidence: [])
        let route = ResolvedRoute(interfaceIndex: 4, source: local)
        let lookup = RouteLookup(destination: remote, outcome: .route(route))
        let owned = InterfaceAddress(interfaceIndex: row.owner, address: local, prefixLength: 64, flags: row.flags)
        let snapshot = NetworkSnapshot(
            links: [tunnel, modem, Link(index: 5, name: "br-lan", flags: [.up, .lowerUp], driverKind: "bridge")],
            addresses: [
                InterfaceAddress(interfaceIndex: 9, address: Case.source, prefixLength: 24),
                InterfaceAddress(interfaceIndex: 4, address: Self.address("fe80::1"), prefixLength: 64),
            ] + (row.owner == 0 ? [] : [owned]),
            underlays: [9: Underlay(interfaceIndex: 4, evidence: .remoteRoute, lookup: lookup)]
        )
        let through = ResolvedRoute(interfaceIndex: 9, source: Case.source)
        let path = Path(RouteLookup(destination: Case.internet, outcome: .route(through)), in: snapshot)
        #expect(path.via == row.via)
        #expect(path.reason == (row.via == .none ? .underlayDown : nil))
    }

    @Test("a tunnel whose own packets have no egress is not a path")
    func deadUnderlay() {
        let tunnel = Link(
            index: 9,
            name: "wg0",
            flags: [.up, .lowerUp],
            classification: InterfaceClassification(kind: .tunnel, evidence: [])
        )
        let lookup = RouteLookup(
            destination: Case.internet,
            outcome: .route(ResolvedRoute(interfaceIndex: 9, source: Case.source))
        )
        let path = Path(
            lookup,
            in: NetworkSnapshot(links: [tunnel], underlays: [9: Underlay(interfaceIndex: nil, evidence: .remoteRoute)])
        )
        #expect(path.via == .none)
        #expect(path.reason == .underlayDown)
    }

    @Test("each medium has the matching AFNetworking status", arguments: zip(Via.allCases, [-1, 0, 1, 2, 2, 2]))
    func afStatus(_ via: Via, _ status: Int) {
        #expect(via.afStatus == status)
    }

    @Test(
        "an unusable path has the same code in the agent and in the library",
        arguments: NetworkPath.UnusableReason.allCases
    )
    func libraryCodes(_ reason: NetworkPath.UnusableReason) {
        #expect(ReasonCode(reason).rawValue == reason.rawValue)
    }

    @Test("every reason has a sentence and a code of its own")
    func reasons() {
        #expect(Set(ReasonCode.allCases.map(\.rawValue)).count == ReasonCode.allCases.count)
        for code in ReasonCode.allCases { #expect(code.sentence.hasSuffix(".")) }
    }
}
