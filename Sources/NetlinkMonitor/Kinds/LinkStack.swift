/// Stacked interfaces, which take the kind of a lower one.
struct LinkStack {
    private static let inheritsFromLower: Set<String> = [
        "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "dsa",
    ]
    private static let inheritsFromMembers: Set<String> = ["bond", "team", "bridge", "hsr"]
    /// Deeper stacks exist only in a loop or an attack; the kernel itself stops at 8.
    private static let deepest = 8

    let links: [UInt32: Link]
    let own: [UInt32: InterfaceClassification]
    private let members: [UInt32: [Link]]

    init(links: [UInt32: Link], own: [UInt32: InterfaceClassification]) {
        self.links = links
        self.own = own
        var members: [UInt32: [Link]] = [:]
        for link in links.values {
            if let master = link.masterIndex { members[master, default: []].append(link) }
        }
        self.members = members
    }

    func classification(of index: UInt32) -> InterfaceClassification {
        classification(of: index, depth: 0)
    }

    private func classification(of index: UInt32, depth: Int) -> InterfaceClassification {
        let nothing = InterfaceClassification(kind: .unknown, evidence: [])
        guard let link = links[index], let found = own[index] else { return nothing }
        guard depth < Self.deepest, found.evidence.first?.source != .override, let kind = link.driverKind else {
            return found
        }
        let below: [Link]
        if Self.inheritsFromLower.contains(kind) {
            below = link.lowerIndex.flatMap { links[$0] }.map { [$0] } ?? []
        } else if Self.inheritsFromMembers.contains(kind) {
            below = carriers(of: link, kind: kind)
        } else {
            return found
        }
        let inherited = below.map { (link: $0, found: classification(of: $0.index, depth: depth + 1)) }
        guard let first = inherited.first, inherited.allSatisfy({ $0.found.kind == first.found.kind }),
            first.found.kind != .unknown
        else { return found }
        let names = inherited.map(\.link.name).joined(separator: ",")
        return InterfaceClassification(
            kind: first.found.kind,
            evidence: [.init(.driverKind, kind), .init(.lower, names)] + first.found.evidence,
            isGuess: first.found.isGuess
        )
    }

    /// Returns the members that determine the kind: a bond's active one, else all; of a bridge only uplink ports,
    /// because the bridge of a router has the ports of guests and containers beside its one uplink.
    private func carriers(of link: Link, kind: String) -> [Link] {
        let members = members[link.index, default: []].sorted { $0.index < $1.index }
        if let active = link.activeMemberIndex, let member = members.first(where: { $0.index == active }) {
            return [member]
        }
        guard kind == "bridge" else { return members }
        let uplinks = members.filter { member in
            switch own[member.index]?.kind {
            case .wifi, .wwan, .wired, .bluetooth: true
            default: Self.inheritsFromLower.union(Self.inheritsFromMembers).contains(member.driverKind ?? "")
            }
        }
        return uplinks.count == 1 ? uplinks : []
    }
}
