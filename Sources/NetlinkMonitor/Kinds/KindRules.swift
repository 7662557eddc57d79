/// The kind of a single link by its properties, from the strongest source to the weakest.
///
/// The fingerprints were recorded from real devices: no single source is enough. `ARPHRD` is the same for a modem, a
/// WireGuard tunnel and a tun device; `DEVTYPE` is missing from rtnetlink, and `IFLA_INFO_KIND` from USB modems.
enum KindRules {
    /// The relevant ARPHRD_… numbers of linux/if_arp.h.
    private enum HardwareType {
        static let ethernet: UInt16 = 1
        static let ppp: UInt16 = 512
        static let rawIP: UInt16 = 519
        static let tunnel: UInt16 = 768
        static let tunnel6: UInt16 = 769
        static let sit: UInt16 = 776
        static let ipGRE: UInt16 = 778
        static let ieee80211Radiotap: UInt16 = 803
        static let ip6GRE: UInt16 = 823
    }

    private static let tunnelKinds: Set<String> = [
        "wireguard", "tun", "ipip", "sit", "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan", "ip6tnl",
        "vti", "vti6", "xfrm", "pptp", "l2tp", "vxlan", "geneve", "gtp", "ovpn", "ovpn-dco", "amt", "bareudp",
    ]
    private static let virtualKinds: Set<String> = [
        "veth", "dummy", "ifb", "nlmon", "vcan", "vxcan", "netkit", "vrf", "netdevsim", "hsr", "macvlan", "macvtap",
        "ipvlan", "ipvtap", "macsec", "vlan", "bond", "team", "virt_wifi", "dsa",
    ]
    private static let usbTetherDrivers: Set<String> = ["rndis_host", "cdc_ether", "cdc_ncm", "ipheth", "cdc_eem"]
    /// The names that modem drivers with neither DEVTYPE nor an info kind give to their interfaces.
    private static let cellularNames = ["rmnet", "rev_rmnet", "ccmni", "qmimux"]

    static func classify(_ link: Link, device: SysfsDevice) -> InterfaceClassification {
        if link.hardwareType == HardwareType.ieee80211Radiotap {
            // A monitor interface receives every frame and carries none of the machine's own.
            return found(.virtual, .init(.hardwareType, "803 (radiotap monitor)"))
        }
        if let deviceType = device.deviceType, let found = fromDeviceType(deviceType, link, device) { return found }
        if device.hasPhy80211, link.driverKind != "virt_wifi" { return found(.wifi, .init(.phy80211, "present")) }
        if link.driverKind == "tun", NamePattern("ppp[0-9]*").matches(link.name) {
            // Programs with a PPP implementation of their own use the kernel's names.
            return InterfaceClassification(kind: .ppp, evidence: [.init(.name, "ppp*")], isGuess: true)
        }
        if let kind = link.driverKind, let found = fromDriverKind(kind) { return found }
        if let found = fromHardwareTypeOrName(link) { return found }
        return fromDevice(link, device)
    }

    private static func fromDeviceType(
        _ deviceType: String,
        _ link: Link,
        _ device: SysfsDevice
    ) -> InterfaceClassification? {
        let evidence = KindEvidence(.deviceType, deviceType)
        let driver = device.driver.map { [KindEvidence(.driver, $0)] } ?? []
        switch deviceType {
        case "wlan" where link.driverKind != "virt_wifi":
            return .init(kind: .wifi, evidence: [evidence] + driver)
        case "wwan": return .init(kind: .wwan, evidence: [evidence] + driver)
        case "bluetooth": return .init(kind: .bluetooth, evidence: [evidence])
        case "gadget": return .init(kind: .wired, evidence: [evidence], isGuess: true)
        case "dsa": return .init(kind: .wired, evidence: [evidence])
        case "ppp": return .init(kind: .ppp, evidence: [evidence])
        // An L2TPv3 pseudowire, which rtnetlink shows as Ethernet without a driver's kind.
        case "l2tpeth": return .init(kind: .tunnel, evidence: [evidence])
        default: return nil
        }
    }

    private static func fromDriverKind(_ kind: String) -> InterfaceClassification? {
        let evidence = KindEvidence(.driverKind, kind)
        switch kind {
        case "wwan", "rmnet": return found(.wwan, evidence)
        case "bridge": return found(.bridge, evidence)
        case "ppp": return found(.ppp, evidence)
        case _ where tunnelKinds.contains(kind): return found(.tunnel, evidence)
        case _ where virtualKinds.contains(kind): return found(.virtual, evidence)
        default: return InterfaceClassification(kind: .virtual, evidence: [evidence], isGuess: true)
        }
    }

    private static func fromHardwareTypeOrName(_ link: Link) -> InterfaceClassification? {
        let evidence = KindEvidence(.hardwareType, "\(link.hardwareType)")
        switch link.hardwareType {
        case HardwareType.rawIP: return found(.wwan, evidence)
        case HardwareType.tunnel, HardwareType.tunnel6, HardwareType.sit, HardwareType.ipGRE, HardwareType.ip6GRE:
            return found(.tunnel, evidence)
        case HardwareType.ppp: return found(.ppp, evidence)
        default: break
        }
        guard let prefix = cellularNames.first(where: { link.name.hasPrefix($0) }) else { return nil }
        return InterfaceClassification(kind: .wwan, evidence: [.init(.name, "\(prefix)*"), evidence], isGuess: true)
    }

    /// Classifies an Ethernet interface with neither a kind nor a device type: a network card, or a device that looks
    /// like one.
    private static func fromDevice(_ link: Link, _ device: SysfsDevice) -> InterfaceClassification {
        var evidence = [KindEvidence(.hardwareType, "\(link.hardwareType)")]
        if let driver = device.driver { evidence.append(.init(.driver, driver)) }
        if let bus = device.bus { evidence.append(.init(.bus, bus)) }
        guard link.hardwareType == HardwareType.ethernet else {
            return InterfaceClassification(kind: .unknown, evidence: evidence)
        }
        let isTether = device.bus == "usb" && device.driver.map(usbTetherDrivers.contains) == true
        if device.bus == nil, let parent = link.parentDevice { evidence.append(.init(.bus, parent)) }
        let hasDevice = evidence.count > 1
        return InterfaceClassification(kind: .wired, evidence: evidence, isGuess: isTether || !hasDevice)
    }

    private static func found(_ kind: InterfaceKind, _ evidence: KindEvidence) -> InterfaceClassification {
        InterfaceClassification(kind: kind, evidence: [evidence])
    }
}
