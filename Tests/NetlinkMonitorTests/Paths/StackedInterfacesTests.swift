import AgentTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Interfaces that pass packets through others: bridges, bonds, and what stands on a lower device.
struct StackedInterfacesTests {
    private static let deepestStack = 8

    /// The rule without a thought of its cost.
    private static func canPassPackets(_ link: Link, in snapshot: NetworkSnapshot, depth: Int = 0) -> Bool {
        guard link.isUsable, depth < deepestStack else { return false }
        switch link.driverKind {
        case "bridge", "bond":
            let ports = snapshot.links.filter { $0.masterIndex == link.index }
            let carriers = ports.filter { port in
                link.driverKind == "bond" ? port.index == link.activeMemberIndex : leadsOut(port, in: snapshot)
            }
            return (carriers.isEmpty ? ports : carriers).contains {
                canPassPackets($0, in: snapshot, depth: depth + 1)
            }
        case "vlan":
            guard let lower = link.lowerIndex.flatMap({ snapshot.links[$0] }) else { return true }
            return canPassPackets(lower, in: snapshot, depth: depth + 1)
        default: return true
        }
    }

    /// Returns whether a port of a bridge is no guest's: a card, a bond, or a VLAN on a bond.
    private static func leadsOut(_ port: Link, in snapshot: NetworkSnapshot) -> Bool {
        var base = port
        for _ in 1..<deepestStack where base.driverKind == "vlan" {
            base = base.lowerIndex.flatMap { snapshot.links[$0] } ?? base
        }
        return port.kind == .wired || base.driverKind == "bond"
    }

    private static func link(
        _ index: UInt32,
        driver: String?,
        isUp: Bool = true,
        kind: InterfaceKind = .wired,
        lower: UInt32? = nil,
        master: UInt32? = nil,
        active: UInt32? = nil
    ) -> Link {
        Link(
            index: index,
            name: "if\(index)",
            flags: isUp ? [.up, .lowerUp] : [.up],
            driverKind: driver,
            lowerIndex: lower,
            masterIndex: master,
            activeMemberIndex: active,
            classification: InterfaceClassification(kind: kind, evidence: [])
        )
    }

    @Test(arguments: [1, 2, 3, 4])
    func `random stacks, possible and impossible ones, pass packets by the rule`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let indices: ClosedRange<UInt32> = 1...6
        var results: [Bool] = []
        for _ in 0..<500 {
            let links = indices.map { index in
                Self.link(
                    index,
                    driver: ["bridge", "bond", "vlan", "vlan", "veth"].randomElement(using: &random),
                    isUp: Int.random(in: 0..<10, using: &random) > 0,
                    kind: Bool.random(using: &random) ? .wired : .virtual,
                    lower: indices.randomElement(using: &random),
                    master: Bool.random(using: &random) ? indices.randomElement(using: &random) : nil,
                    active: Bool.random(using: &random) ? indices.randomElement(using: &random) : nil
                )
            }
            let snapshot = NetworkSnapshot(links: links)
            for link in links {
                let expected = Self.canPassPackets(link, in: snapshot)
                #expect(snapshot.canPassPackets(link) == expected, "\(link.name) of \(links)")
                results.append(expected)
            }
        }
        #expect(Set(results) == [true, false])
    }

    @Test(
        arguments: [
            ("a bridge", link(1, driver: "bridge"), link(2, driver: "ifb", kind: .virtual, master: 1), false),
            ("a bridge", link(1, driver: "bridge"), link(2, driver: "dummy", kind: .virtual, master: 1), false),
            ("a bridge", link(1, driver: "bridge"), link(2, driver: "veth", kind: .virtual, master: 1), true),
            ("a bond", link(1, driver: "bond"), link(2, driver: "dummy", kind: .virtual, master: 1), false),
            ("a macvlan", link(1, driver: "macvlan", lower: 2), link(2, driver: "ifb", kind: .virtual), false),
            ("a macvlan", link(1, driver: "macvlan", lower: 2), link(2, driver: nil), true),
        ] as [(String, Link, Link, Bool)]
    )
    func `nothing leads out of what stands on a device that leads nowhere`(
        _: String,
        top: Link,
        below: Link,
        isUsable: Bool
    ) {
        #expect(NetworkSnapshot(links: [top, below]).canPassPackets(top) == isUsable)
    }

    private static let nothing = "no port that leads out is up"

    @Test(arguments: [0, 100])
    func `a guest's port does not keep a bridge up whose bond has lost its members, or their carriers`(miimon: Int) {
        // Without link monitoring (`miimon 0`) a bond keeps its carrier, and without members it has the kind `virtual`,
        // as with members of several kinds.
        let bond = Self.link(2, driver: "bond", isUp: miimon == 0, kind: .virtual)
        let guest = Self.link(7, driver: "tun", kind: .virtual, master: 1)
        let lost = [
            Self.link(3, driver: nil, isUp: false, master: 2),
            Self.link(4, driver: nil, isUp: false, kind: .wwan, master: 2),
        ]
        let vlan = Self.link(5, driver: "vlan", kind: .virtual, lower: 2, master: 1)
        var port = bond
        port.masterIndex = 1
        let bridge = Self.link(1, driver: "bridge")
        for ports in [[port], [bond, vlan]] {
            for members in [[], lost] {
                let snapshot = NetworkSnapshot(links: [bridge, guest] + ports + members)
                #expect(!snapshot.canPassPackets(bridge))
                #expect(snapshot.stateDescription(of: bridge) == Self.nothing)
            }
            let revived = ports.map { link in
                link.driverKind == "bond"
                    ? Self.link(2, driver: "bond", master: link.masterIndex, active: 3)
                    : Self.link(5, driver: "vlan", lower: 2, master: 1)
            }
            let snapshot = NetworkSnapshot(links: [bridge, guest, Self.link(3, driver: nil, master: 2)] + revived)
            #expect(snapshot.canPassPackets(bridge))
        }
        // A VLAN of a guest's port is the guest's too.
        let guests = [
            guest, Self.link(8, driver: "vlan", kind: .virtual, lower: 9, master: 1),
            Self.link(9, driver: "veth", kind: .virtual),
        ]
        let card = Self.link(6, driver: nil, isUp: false, master: 1)
        #expect(!NetworkSnapshot(links: [bridge, card] + guests).canPassPackets(bridge))
    }

    @Test(
        arguments: [
            ([link(1, driver: "dummy")], true, "up"), ([link(1, driver: "dummy", isUp: false)], false, "no carrier"),
            ([link(1, driver: "veth")], false, "up"), ([link(1, driver: "bridge")], false, nothing),
            ([link(1, driver: "bridge"), link(2, driver: "dummy", kind: .virtual, master: 1)], true, nothing),
            (
                [link(1, driver: "bridge"), link(2, driver: "dummy", isUp: false, kind: .virtual, master: 1)], false,
                nothing
            ),
            (
                [
                    link(1, driver: "bridge"), link(2, driver: "dummy", kind: .virtual, master: 1),
                    link(3, driver: nil, isUp: false, master: 1),
                ], false, nothing
            ),
            (
                [
                    link(1, driver: "bridge"), link(2, driver: "dummy", kind: .virtual, master: 1),
                    link(3, driver: "veth", kind: .virtual, master: 1),
                ], false, "up"
            ),
            (
                [link(1, driver: "bond"), link(2, driver: "ifb", kind: .virtual, master: 1)], true,
                "what it stands on leads nowhere"
            ),
            (
                [link(1, driver: "vlan", lower: 2), link(2, driver: "dummy", kind: .virtual)], true,
                "what it stands on leads nowhere"
            ),
            (
                [link(1, driver: "vlan", lower: 2), link(2, driver: "dummy", isUp: false, kind: .virtual)], false,
                "what it stands on is down"
            ),
            ([link(1, driver: "vlan", lower: 2), link(2, driver: nil)], false, "up"),
        ] as [([Link], Bool, String)]
    )
    func `an interface leads nowhere if packets pass it into such devices alone`(
        links: [Link],
        leadsNowhere: Bool,
        description: String
    ) {
        let snapshot = NetworkSnapshot(links: links)
        #expect(snapshot.leadsNowhere(links[0]) == leadsNowhere)
        #expect(snapshot.stateDescription(of: links[0]) == description)
    }

    @Test func `a device that leads nowhere counts below others if the operator overrides its kind`() {
        var dummy = Self.link(2, driver: "dummy", master: 1)
        dummy.classification = .init(kind: .wired, evidence: [.init(.override, "dummy*=wired")])
        let bridge = Self.link(1, driver: "bridge")
        let snapshot = NetworkSnapshot(links: [bridge, dummy])
        #expect(snapshot.canPassPackets(bridge))
        #expect(!snapshot.leadsNowhere(bridge))
    }

    /// A link that inherits the kind of an Ethernet card.
    private static func inheriting(_ index: UInt32, driver: String, lower: UInt32? = nil) -> Link {
        var link = Self.link(index, driver: driver, lower: lower)
        link.classification = .init(kind: .wired, evidence: [.init(.driverKind, driver), .init(.lower, "if3")])
        return link
    }

    @Test(
        arguments: [
            ("both ports", true, true, .wired), ("the card alone", true, false, .wired),
            ("the VXLAN alone", false, true, .bridge),
        ] as [(String, Bool, Bool, InterfaceKind)]
    )
    func `a bridge has the medium of its card only while the card passes packets`(
        _: String,
        cardIsUp: Bool,
        tunnelIsUp: Bool,
        kind: InterfaceKind
    ) {
        let bridge = Self.inheriting(2, driver: "bridge")
        let vlan = Self.inheriting(1, driver: "vlan", lower: 2)
        var named = bridge
        named.classification = .init(kind: .wired, evidence: [.init(.override, "br*=wired")])
        let ports = [
            Self.link(3, driver: nil, isUp: cardIsUp, master: 2),
            Self.link(4, driver: "vxlan", isUp: tunnelIsUp, kind: .tunnel, master: 2),
            Self.link(5, driver: "veth", kind: .virtual, master: 2),
        ]
        let snapshot = NetworkSnapshot(links: [vlan, bridge] + ports)
        for link in [bridge, vlan] {
            #expect(snapshot.canPassPackets(link))
            #expect(snapshot.kindInUse(of: link) == kind)
        }
        #expect(NetworkSnapshot(links: [named] + ports).kindInUse(of: named) == .wired)
        #expect(snapshot.kindInUse(of: ports[0]) == .wired)
    }

    @Test func `the kind of a cycle of stacked interfaces is found, without an endless loop`() {
        let links = [Self.inheriting(1, driver: "vlan", lower: 2), Self.inheriting(2, driver: "vlan", lower: 1)]
        #expect(NetworkSnapshot(links: links).kindInUse(of: links[0]) == .wired)
    }

    @Test(arguments: [(7, true), (8, false)])
    func `a stack is as deep as the kernel's deepest one`(count: UInt32, isUsable: Bool) throws {
        let stack = (1...count).map { Self.link($0, driver: "vlan", lower: $0 + 1) }
        let snapshot = NetworkSnapshot(links: stack + [Self.link(count + 1, driver: nil)])
        let top = try #require(snapshot.links[1])
        #expect(snapshot.canPassPackets(top) == isUsable)
    }

    @Test func `any number of interfaces may stand on one that stands on them`() throws {
        let counts: [UInt32] = [1000, 2000, 4000]
        let growth = try CostGrowth.measure(counts.count, noise: 0.01) { index in
            let ports = (2...counts[index]).map { Self.link($0, driver: "vlan", lower: 1, master: 1) }
            let snapshot = NetworkSnapshot(links: [Self.link(1, driver: "bridge")] + ports)
            let bridge = try #require(snapshot.links[1])
            var results: [Bool] = []
            let seconds = CostGrowth.seconds { results = [bridge, ports[0]].map(snapshot.canPassPackets) }
            #expect(results == [false, false])
            return seconds
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
