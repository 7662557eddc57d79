/// Determines the kind of each link.
///
/// Own evidence first (``ownClassification(of:)``), strongest source first; then stacked devices (VLAN, bond, team, a
/// bridge with one uplink, macvlan) take the kind of the lower device. Facts from sysfs are cached as long as index,
/// name and driver kind of the link are unchanged, because they are read on the listener's thread.
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

    /// Returns the kind according to a link's own properties, before inheritance.
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
