internal import Testing

@testable internal import NetlinkMonitor

/// The recorded properties of real devices, and the kinds as which they must be classified.
struct FingerprintTests {
    /// One device, as it was recorded on Debian's kernel.
    struct Device: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var name = "x0"
        var type: UInt16 = 1
        var deviceType: String?
        var driverKind: String?
        var phy80211 = false
        var driver: String?
        var bus: String?
        var parent: String?
        var isLoopback = false
        let kind: InterfaceKind
        var isGuess = false

        init(
            _ what: String,
            name: String = "x0",
            type: UInt16 = 1,
            deviceType: String? = nil,
            driverKind: String? = nil,
            phy80211: Bool = false,
            driver: String? = nil,
            bus: String? = nil,
            parent: String? = nil,
            isLoopback: Bool = false,
            is kind: InterfaceKind,
            guess: Bool = false
        ) {
            testDescription = what
            self.name = name
            self.type = type
            self.deviceType = deviceType
            self.driverKind = driverKind
            self.phy80211 = phy80211
            self.driver = driver
            self.bus = bus
            self.parent = parent
            self.isLoopback = isLoopback
            self.kind = kind
            self.isGuess = guess
        }
    }

    static let radios: [Device] = [
        Device("station", deviceType: "wlan", phy80211: true, driver: "iwlwifi", bus: "pci", is: .wifi),
        Device("station without wireless extensions", phy80211: true, parent: "hwsim1", is: .wifi),
        Device("monitor", type: 803, deviceType: "wlan", phy80211: true, parent: "hwsim1", is: .virtual),
        Device("hwsim's own tap", type: 803, is: .virtual),
        Device("virt_wifi", deviceType: "wlan", driverKind: "virt_wifi", phy80211: true, is: .virtual),
        Device("wwan core", type: 65534, deviceType: "wwan", driverKind: "wwan", parent: "wwan0", is: .wwan),
        Device("wwan core before sysfs", type: 65534, driverKind: "wwan", parent: "wwan0", is: .wwan),
        Device("modem as cdc_ether", deviceType: "wwan", driver: "cdc_ether", bus: "usb", is: .wwan),
        Device("modem as cdc_ncm", deviceType: "wwan", driver: "cdc_ncm", bus: "usb", is: .wwan),
        Device("raw IP", type: 519, is: .wwan),
        Device("rmnet", name: "rmnet_data0", type: 530, is: .wwan, guess: true),
        Device("connection of a multiplexed QMI modem", name: "qmimux0", type: 65534, is: .wwan, guess: true),
        Device("Bluetooth PAN", deviceType: "bluetooth", is: .bluetooth),
    ]

    static let cables: [Device] = [
        Device("network card", driver: "e1000e", bus: "pci", is: .wired),
        Device("network card, sysfs of another namespace", parent: "0000:00:1f.6", is: .wired),
        Device("dongle as cdc_ether", driver: "cdc_ether", bus: "usb", is: .wired, guess: true),
        Device("dongle as cdc_ncm", driver: "cdc_ncm", bus: "usb", is: .wired, guess: true),
        Device("phone as rndis_host", driver: "rndis_host", bus: "usb", is: .wired, guess: true),
        Device("USB network card", driver: "ax88179_178a", bus: "usb", is: .wired),
        Device("gadget", deviceType: "gadget", driver: "g_ether", bus: "gadget", is: .wired, guess: true),
        Device("netdevsim", driver: "netdevsim", bus: "netdevsim", is: .wired),
        Device("Ethernet of which nothing is known", is: .wired, guess: true),
    ]

    static let software: [Device] = [
        Device("loopback", type: 772, isLoopback: true, is: .loopback),
        Device("veth", driverKind: "veth", is: .virtual),
        Device("dummy", driverKind: "dummy", is: .virtual),
        Device("bridge", deviceType: "bridge", driverKind: "bridge", is: .bridge),
        Device("bond without members", deviceType: "bond", driverKind: "bond", is: .virtual),
        Device("team", driverKind: "team", is: .virtual),
        Device("VLAN on nothing", deviceType: "vlan", driverKind: "vlan", is: .virtual),
        Device("macvlan on nothing", driverKind: "macvlan", is: .virtual),
        Device("macvtap on nothing", driverKind: "macvtap", is: .virtual),
        Device("ipvlan on nothing", driverKind: "ipvlan", is: .virtual),
        Device("macsec on nothing", deviceType: "macsec", driverKind: "macsec", is: .virtual),
        Device("VRF", deviceType: "vrf", driverKind: "vrf", is: .virtual),
        Device("ifb", driverKind: "ifb", is: .virtual),
        Device("vcan", type: 280, driverKind: "vcan", is: .virtual),
        Device("nlmon", type: 824, driverKind: "nlmon", is: .virtual),
        Device("a kind of tomorrow", driverKind: "quantum", is: .virtual, guess: true),
        Device("something that is not Ethernet", type: 32, is: .unknown),
    ]

    static let tunnels: [Device] = [
        Device("tun", type: 65534, driverKind: "tun", is: .tunnel),
        Device("tap", driverKind: "tun", is: .tunnel),
        Device("wireguard", type: 65534, deviceType: "wireguard", driverKind: "wireguard", is: .tunnel),
        Device("ppp", type: 512, deviceType: "ppp", driverKind: "ppp", is: .ppp),
        Device("ppp before sysfs", type: 512, driverKind: "ppp", is: .ppp),
        Device("ppp that tells nothing", type: 512, is: .ppp),
        Device("ppp of a program", name: "ppp0", type: 65534, driverKind: "tun", is: .ppp, guess: true),
        Device("a tunnel called pppoe", name: "pppvpn", type: 65534, driverKind: "tun", is: .tunnel),
        Device("xfrm", type: 65534, driverKind: "xfrm", is: .tunnel),
        Device("gre", type: 778, driverKind: "gre", is: .tunnel),
        Device("gretap", driverKind: "gretap", is: .tunnel),
        Device("ip6gre that tells nothing", type: 823, is: .tunnel),
        Device("ipip", type: 768, driverKind: "ipip", is: .tunnel),
        Device("tunl0 that tells nothing", type: 768, is: .tunnel),
        Device("vti", type: 768, driverKind: "vti", is: .tunnel),
        Device("sit", type: 776, driverKind: "sit", is: .tunnel),
        Device("vxlan", deviceType: "vxlan", driverKind: "vxlan", is: .tunnel),
        Device("L2TPv3 pseudowire", deviceType: "l2tpeth", is: .tunnel),
        Device("geneve", deviceType: "geneve", driverKind: "geneve", is: .tunnel),
    ]

    @Test("every device is classified as the expected kind", arguments: radios + cables + software + tunnels)
    func fingerprint(device: Device) throws {
        let tree = try SysfsTree()
        // Without the parent's bus the row is about a namespace whose sysfs is not ours.
        if device.deviceType != nil || device.phy80211 || device.bus != nil {
            try tree.add(
                device.name,
                index: 7,
                deviceType: device.deviceType,
                phy80211: device.phy80211,
                driver: device.driver,
                bus: device.bus
            )
        }
        var links = LinkTable([
            Link(
                index: 7,
                name: device.name,
                flags: device.isLoopback ? [.loopback] : [],
                hardwareType: device.type,
                driverKind: device.driverKind,
                parentDevice: device.parent
            )
        ])
        var classifier = KindClassifier(overrides: [], sysfsRoot: tree.root)
        classifier.classify(&links)
        let found = try #require(links[7]?.classification)
        #expect(found.kind == device.kind, "\(found.evidence)")
        #expect(found.isGuess == device.isGuess, "\(found.evidence)")
        #expect(!found.evidence.isEmpty)
    }
}
