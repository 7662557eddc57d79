/// The kind of an interface, as relevant to reachability.
public enum InterfaceKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A wireless LAN interface (IEEE 802.11).
    case wifi
    /// A cellular interface: a modem of any type.
    case wwan
    /// Ethernet, on any bus.
    case wired
    /// A Bluetooth personal area network.
    case bluetooth
    /// A tunnel or VPN: its packets travel over another interface.
    case tunnel
    /// The Point-to-Point Protocol: a DSL line, a modem or a VPN; only PPPoE names its lower interface.
    case ppp
    /// A bridge that does not inherit the kind of a single uplink.
    case bridge
    /// A software device without an underlying medium: veth, dummy, macvlan and the like.
    case virtual
    /// The loopback interface.
    case loopback
    /// An interface without evidence for any kind.
    case unknown
}

/// The kind of an interface together with its evidence.
public struct InterfaceClassification: Sendable, Hashable, Codable {
    /// The kind.
    public let kind: InterfaceKind
    /// The evidence for the kind, strongest first.
    ///
    /// Empty only if there is none.
    public let evidence: [KindEvidence]
    /// `true` if the evidence fits another kind as well: a phone tethered by USB looks like Ethernet.
    public let isGuess: Bool

    /// `true` if the kind is that of the lower interface, or of the members.
    var isInherited: Bool { evidence.contains { $0.source == .lower } }

    /// Creates a classification.
    public init(kind: InterfaceKind, evidence: [KindEvidence], isGuess: Bool = false) {
        self.kind = kind
        self.evidence = evidence
        self.isGuess = isGuess
    }
}

/// One fact about an interface's kind.
public struct KindEvidence: Sendable, Hashable, CustomStringConvertible, Codable {
    /// The source of a fact about an interface.
    public enum Source: String, Sendable, Hashable, CaseIterable, Codable {
        /// The operator's override (`--interface-kind`).
        case override
        /// `IFLA_INFO_KIND` of rtnetlink.
        case driverKind = "info_kind"
        /// `DEVTYPE` in the uevent file of sysfs.
        case deviceType = "devtype"
        /// A `phy80211` entry in sysfs: cfg80211 owns the interface.
        case phy80211
        /// `ifi_type` of rtnetlink.
        case hardwareType = "arphrd"
        /// The device's driver in sysfs.
        case driver
        /// The device's bus in sysfs.
        case bus
        /// The name, if a family of drivers has no other evidence (`rmnet…`, `qmimux…`).
        case name
        /// The kind of the lower interface, or of the members.
        case lower
        /// The flags of the link.
        case flags
    }

    /// The source.
    public let source: Source
    /// The fact, unmodified.
    public let value: String

    /// Creates a fact.
    public init(_ source: Source, _ value: String) {
        self.source = source
        self.value = value
    }

    /// `source=value`.
    public var description: String { "\(source.rawValue)=\(value)" }
}
