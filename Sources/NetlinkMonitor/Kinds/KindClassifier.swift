/// Finds out what kind of interface each link is.
///
/// Own evidence first (``ownClassification(of:)``), strongest source first; then devices that merely stand on others
/// (VLAN, bond, team, a bridge with one uplink, macvlan) take the kind of what is below. Facts from sysfs are kept as
/// long as index, name and driver kind of the link stay, because they are read on the listener's thread.
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

    /// Classifies every link again, for a change of one may change what stands on it.
    mutating func classify(_ links: inout [UInt32: Link]) {
        cache = cache.filter { links[$0.key] != nil }
        var own: [UInt32: InterfaceClassification] = [:]
        for link in links.values { own[link.index] = ownClassification(of: link) }
        let stacking = LinkStack(links: links, own: own)
        for index in links.keys {
            let found = stacking.classification(of: index)
            if links[index]?.classification != found { links[index]?.classification = found }
        }
    }

    /// The kind that a link's own properties tell, before it inherits anything.
    private mutating func ownClassification(of link: Link) -> InterfaceClassification {
        if let override = overrides.first(where: { $0.matches(link.name) }) {
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
            // Not there (yet), or of another namespace: nothing is kept, so that the next message asks again.
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
