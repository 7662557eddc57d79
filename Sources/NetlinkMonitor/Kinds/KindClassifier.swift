/// Determines the kind of each link.
///
/// A link's own evidence (``ownClassification(of:)``) comes first, strongest source first; then stacked devices (VLAN,
/// bond, team, a bridge with one uplink, macvlan) inherit the kind of the lower device. Facts from sysfs are cached
/// while index, name and driver kind of the link are unchanged, because they are read on the listener's thread.
struct KindClassifier: Sendable {
    private let overrides: [KindOverride]
    private let sysfs: SysfsReader
    private var cache: [UInt32: CachedDevice] = [:]

    private struct CachedDevice: Sendable {
        let name: String
        let driverKind: String?
        let hardwareType: UInt16
        let device: SysfsDevice
    }

    init(overrides: [KindOverride], sysfsRoot: String) {
        self.overrides = overrides
        sysfs = SysfsReader(root: sysfsRoot)
    }

    /// Classifies every link again, because a change of one may affect those stacked on it.
    mutating func classify(_ links: inout LinkTable) {
        cache = cache.filter { links[$0.key] != nil }
        var own: [UInt32: InterfaceClassification] = [:]
        for link in links.values { own[link.index] = ownClassification(of: link) }
        let stacking = LinkStack(links: links, own: own)
        for index in links.values.map(\.index) {
            let found = stacking.classification(of: index)
            if links[index]?.classification != found { links[index]?.classification = found }
        }
    }

    /// Returns the kind according to a link's own properties, before inheritance.
    private mutating func ownClassification(of link: Link) -> InterfaceClassification {
        if let override = overrides.first(where: { $0.matches(link) }) {
            return InterfaceClassification(kind: override.kind, evidence: [.init(.override, override.description)])
        }
        if link.flags.contains(.loopback) {
            return InterfaceClassification(kind: .loopback, evidence: [.init(.flags, "LOOPBACK")])
        }
        return KindRules.classify(link, device: device(of: link))
    }

    private mutating func device(of link: Link) -> SysfsDevice {
        if let known = cache[link.index], known.name == link.name, known.driverKind == link.driverKind,
            known.hardwareType == link.hardwareType
        {
            return known.device
        }
        guard let device = sysfs.device(named: link.name, index: link.index) else {
            // Missing (yet), or in another namespace: not cached, so that the next message reads sysfs again.
            cache[link.index] = nil
            return SysfsDevice()
        }
        cache[link.index] = CachedDevice(
            name: link.name,
            driverKind: link.driverKind,
            hardwareType: link.hardwareType,
            device: device
        )
        return device
    }
}

/// Stacked interfaces, which inherit the kind of a lower one.
private struct LinkStack {
    private static let inheritsFromLower = Link.stackedDrivers.union(["dsa"])
    private static let inheritsFromMembers: Set<String> = ["bond", "team", "bridge", "hsr"]
    /// Deeper stacks exist only in a loop or an attack; the kernel itself stops at 8.
    private static let deepest = 8

    let links: LinkTable
    let own: [UInt32: InterfaceClassification]
    private let members: [UInt32: [Link]]

    init(links: LinkTable, own: [UInt32: InterfaceClassification]) {
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

    /// Returns the members that determine the kind: the active one of a bond, or else all; of a bridge only uplink
    /// ports, because a router's bridge also has the ports of guests and containers besides its single uplink.
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
