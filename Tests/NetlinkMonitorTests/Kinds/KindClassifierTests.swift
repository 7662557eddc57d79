internal import Testing

@testable internal import NetlinkMonitor

/// The classification of stacked links, links whose names change, and links with the operator's overrides.
struct KindClassifierTests {
    private let tree: SysfsTree

    init() throws {
        tree = try SysfsTree()
        try tree.add("wlan0", index: 2, deviceType: "wlan", phy80211: true)
        try tree.add("eth0", index: 3, driver: "e1000e", bus: "pci")
        try tree.add("wwan0", index: 4, deviceType: "wwan", driver: "cdc_ether", bus: "usb")
    }

    private let base = [
        Link(index: 2, name: "wlan0"), Link(index: 3, name: "eth0"), Link(index: 4, name: "wwan0"),
    ]

    private func classify(_ more: Link..., overrides: [String] = []) throws -> [String: InterfaceClassification] {
        var classifier = KindClassifier(
            overrides: try overrides.map { try KindOverride(parsing: $0) },
            sysfsRoot: tree.root
        )
        var links = LinkTable(base + more)
        classifier.classify(&links)
        return Dictionary(links.values.map { ($0.name, $0.classification) }, uniquingKeysWith: { $1 })
    }

    private func port(_ index: UInt32, of master: UInt32) throws -> Link {
        var link = try #require(base.first { $0.index == index })
        link.masterIndex = master
        return link
    }

    @Test(
        "an interface stacked on another has the kind of the lower interface",
        arguments: [
            ("vlan", 2, InterfaceKind.wifi), ("macvlan", 3, .wired), ("ipvlan", 4, .wwan), ("macsec", 3, .wired),
        ]
    )
    func lower(kind: String, lower: UInt32, expected: InterfaceKind) throws {
        let found = try classify(Link(index: 9, name: "up0", driverKind: kind, lowerIndex: lower))
        #expect(found["up0"]?.kind == expected)
        #expect(found["up0"]?.evidence.contains { $0.source == .lower } == true)
    }

    @Test("a stack of several interfaces has the kind of the lowest one")
    func stack() throws {
        let found = try classify(
            Link(index: 9, name: "vlan5", driverKind: "vlan", lowerIndex: 3),
            Link(index: 10, name: "macvlan0", driverKind: "macvlan", lowerIndex: 9),
            Link(index: 11, name: "qinq", driverKind: "vlan", lowerIndex: 10)
        )
        #expect(found["qinq"]?.kind == .wired)
    }

    @Test("a cycle of stacked interfaces is classified as virtual, without an endless loop")
    func loop() throws {
        let found = try classify(
            Link(index: 9, name: "a", driverKind: "vlan", lowerIndex: 10),
            Link(index: 10, name: "b", driverKind: "vlan", lowerIndex: 9),
            Link(index: 11, name: "c", driverKind: "bond", masterIndex: 11)
        )
        #expect(found["a"]?.kind == .virtual)
        #expect(found["c"]?.kind == .virtual)
    }

    @Test("a bond has the kind of its active member")
    func bondWithActiveMember() throws {
        for (active, expected): (UInt32, InterfaceKind) in [(2, .wifi), (3, .wired)] {
            let bond = Link(index: 9, name: "bond0", driverKind: "bond", activeMemberIndex: active)
            let found = try classify(port(2, of: 9), port(3, of: 9), bond)
            #expect(found["bond0"]?.kind == expected)
        }
    }

    @Test("a bond or team without an active member has the kind that all its members share")
    func bondWithoutActiveMember() throws {
        for kind in ["bond", "team"] {
            let master = Link(index: 9, name: "m0", driverKind: kind)
            #expect(try classify(port(3, of: 9), master)["m0"]?.kind == .wired)
            #expect(try classify(port(2, of: 9), port(3, of: 9), master)["m0"]?.kind == .virtual)
        }
    }

    @Test("a bridge has the kind of its only uplink, whatever its other ports; with two or none it is a bridge")
    func bridge() throws {
        let bridge = Link(index: 9, name: "br0", driverKind: "bridge")
        let guest = Link(index: 10, name: "vnet0", driverKind: "tun", masterIndex: 9)
        let container = Link(index: 11, name: "veth0", driverKind: "veth", masterIndex: 9)
        #expect(try classify(port(3, of: 9), guest, container, bridge)["br0"]?.kind == .wired)
        #expect(try classify(port(2, of: 9), container, bridge)["br0"]?.kind == .wifi)
        #expect(try classify(port(2, of: 9), port(3, of: 9), bridge)["br0"]?.kind == .bridge)
        #expect(try classify(guest, container, bridge)["br0"]?.kind == .bridge)
        #expect(try classify(bridge)["br0"]?.kind == .bridge)
    }

    @Test("an override takes precedence, the first matching pattern applies, and stacked interfaces follow it")
    func overrides() throws {
        let found = try classify(
            Link(index: 9, name: "vlan5", driverKind: "vlan", lowerIndex: 3),
            Link(index: 10, name: "vlan6", driverKind: "vlan", lowerIndex: 3),
            overrides: ["eth?=wwan", "eth*=bluetooth", "vlan6=tunnel"]
        )
        #expect(found["eth0"]?.kind == .wwan)
        #expect(found["eth0"]?.evidence == [KindEvidence(.override, "eth?=wwan")])
        #expect(found["wlan0"]?.kind == .wifi)
        #expect(found["vlan5"]?.kind == .wwan)
        #expect(found["vlan6"]?.kind == .tunnel)
    }

    @Test(arguments: [
        ("enp9*", InterfaceKind.wwan), ("a-name-of-more-than-15-bytes", .wwan), ("lan*", .wwan), ("enp", .wired),
    ])
    func `an override matches an alternative name, too`(pattern: String, kind: InterfaceKind) throws {
        let link = Link(index: 9, name: "lan9", alternativeNames: ["enp9s0", "a-name-of-more-than-15-bytes"])
        #expect(try classify(link, overrides: ["\(pattern)=wwan"])["lan9"]?.kind == kind)
    }

    @Test("an override needs a pattern and a known kind, and its errors name the problem")
    func overrideErrors() throws {
        #expect(try KindOverride(parsing: "a=b=wifi").pattern == "a=b")
        #expect(throws: KindOverride.ParseError.missingSeparator("usb0")) { try KindOverride(parsing: "usb0") }
        #expect(throws: KindOverride.ParseError.emptyPattern("=wifi")) { try KindOverride(parsing: "=wifi") }
        #expect(throws: KindOverride.ParseError.unknownKind("5g")) { try KindOverride(parsing: "usb*=5g") }
        let long = String(repeating: "x", count: 65) + "=wifi"
        #expect(throws: KindOverride.ParseError.patternTooLong(long)) { try KindOverride(parsing: long) }
        #expect(KindOverride.ParseError.unknownKind("5g").description.contains("wifi, wwan, wired"))
    }

    @Test("a sysfs directory with another index belongs to another namespace and is ignored")
    func otherNamespace() throws {
        try tree.add("eth1", index: 77, deviceType: "wwan")
        let found = try classify(Link(index: 5, name: "eth1"))
        #expect(found["eth1"]?.kind == .wired)
        #expect(found["eth1"]?.isGuess == true)
    }

    @Test(
        "an interface name cannot escape the sysfs directory of interfaces",
        arguments: ["..", ".", "", "../net/wlan0", "/"]
    )
    func pathInName(name: String) {
        #expect(SysfsReader(root: tree.root).device(named: name, index: 2) == nil)
    }

    @Test("a renamed interface is classified by its new name, and one that reuses an index is classified again")
    func renameAndReuse() throws {
        var classifier = KindClassifier(overrides: [], sysfsRoot: tree.root)
        var links = LinkTable([Link(index: 3, name: "eth0")])
        classifier.classify(&links)
        #expect(links[3]?.kind == .wired)
        // The same index under another name: a modem now.
        try tree.add("wwan5", index: 3, deviceType: "wwan", driver: "cdc_mbim", bus: "usb")
        links[3]?.name = "wwan5"
        classifier.classify(&links)
        #expect(links[3]?.kind == .wwan)
        // Gone, and the same index and name again, for something else.
        links[3] = nil
        classifier.classify(&links)
        try tree.add("wwan5", index: 3, deviceType: "wlan", phy80211: true)
        links[3] = Link(index: 3, name: "wwan5")
        classifier.classify(&links)
        #expect(links[3]?.kind == .wifi)
    }

    @Test("an interface that sysfs did not know yet is looked up again")
    func lateSysfs() throws {
        var classifier = KindClassifier(overrides: [], sysfsRoot: tree.root)
        var links = LinkTable([Link(index: 8, name: "usb0")])
        classifier.classify(&links)
        #expect(links[8]?.classification.isGuess == true)
        try tree.add("usb0", index: 8, deviceType: "wwan", driver: "qmi_wwan", bus: "usb")
        classifier.classify(&links)
        #expect(links[8]?.kind == .wwan)
    }
}
