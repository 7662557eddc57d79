/// What kind of interface a link is, as far as a consumer of reachability cares.
public enum InterfaceKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A wireless LAN interface (IEEE 802.11).
    case wifi
    /// A cellular interface: a modem of any make.
    case wwan
    /// Ethernet, on whatever bus.
    case wired
    /// A Bluetooth personal area network.
    case bluetooth
    /// A tunnel or VPN: its packets travel over another interface.
    case tunnel
    /// The Point-to-Point Protocol: a DSL line, a modem or a VPN; PPPoE alone names the interface below.
    case ppp
    /// A bridge that no single uplink lends its kind.
    case bridge
    /// A device of the machine's own making with no medium below: veth, dummy, macvlan's like.
    case virtual
    /// The loopback interface.
    case loopback
    /// Nothing tells.
    case unknown
}

/// The kind of an interface together with what it rests on.
public struct InterfaceClassification: Sendable, Hashable, Codable {
    /// The kind.
    public let kind: InterfaceKind
    /// What the kind rests on, strongest first.
    ///
    /// Empty only where nothing was found.
    public let evidence: [KindEvidence]
    /// Whether another kind could hide behind the same evidence: a phone tethered by USB looks like Ethernet.
    public let isGuess: Bool

    /// A classification.
    public init(kind: InterfaceKind, evidence: [KindEvidence], isGuess: Bool = false) {
        self.kind = kind
        self.evidence = evidence
        self.isGuess = isGuess
    }
}

/// One fact that tells about an interface's kind.
public struct KindEvidence: Sendable, Hashable, CustomStringConvertible, Codable {
    /// Where a fact about an interface comes from.
    public enum Source: String, Sendable, Hashable, CaseIterable, Codable {
        /// The operator said so (`--interface-kind`).
        case override
        /// `IFLA_INFO_KIND` of rtnetlink.
        case driverKind = "info_kind"
        /// `DEVTYPE` in sysfs' uevent file.
        case deviceType = "devtype"
        /// A `phy80211` entry in sysfs: cfg80211 owns the interface.
        case phy80211
        /// `ifi_type` of rtnetlink.
        case hardwareType = "arphrd"
        /// The driver that sysfs names for the device.
        case driver
        /// The bus that sysfs names for the device.
        case bus
        /// The name, where a family of drivers leaves nothing else (`rmnet…`, `ccmni…`).
        case name
        /// The interface below, or the members, lend their kind.
        case lower
        /// The flags of the link.
        case flags
    }

    /// Where the fact comes from.
    public let source: Source
    /// The fact, as it was read.
    public let value: String

    /// A fact.
    public init(_ source: Source, _ value: String) {
        self.source = source
        self.value = value
    }

    /// `source=value`.
    public var description: String { "\(source.rawValue)=\(value)" }
}
