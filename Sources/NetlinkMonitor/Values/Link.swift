internal import CLibNL

/// One network interface as described by the kernel (`RTM_NEWLINK`), with its kind.
public struct Link: Sendable, Hashable, Identifiable, Codable {
    /// The interface index: unique at any time, but reused after the interface is gone.
    public let index: UInt32
    /// The name, at most 15 bytes; it may change while the index stays.
    public var name: String
    /// The flags (`ifi_flags`).
    public var flags: LinkFlags
    /// The operational state (RFC 2863).
    public var operationalState: OperationalState
    /// ARPHRD_… (`ifi_type`): 1 Ethernet, 772 loopback, 65534 none, 803 radiotap and so on.
    public var hardwareType: UInt16
    /// `IFLA_INFO_KIND`: the driver family of a software device, such as `veth`, `bridge`, `wireguard`, `wwan`.
    public var driverKind: String?
    /// The lower interface (`IFLA_LINK`), if it is another one of the same namespace.
    public var lowerIndex: UInt32?
    /// The bridge, bond, team or VRF that this interface is a port of (`IFLA_MASTER`).
    public var masterIndex: UInt32?
    /// The active member of a bond (`IFLA_BOND_ACTIVE_SLAVE`).
    public var activeMemberIndex: UInt32?
    /// The bus device of the interface (`IFLA_PARENT_DEV_NAME`), such as `0000:00:1f.6`.
    public var parentDevice: String?
    /// The remote of a point-to-point tunnel, if the kernel knows it.
    public var tunnelRemote: IPAddress?
    /// The fixed local address of such a tunnel, with which the kernel looks up the route to the remote.
    public var tunnelLocal: IPAddress?
    /// The interface that the packets of such a tunnel, or of one to a multicast group, are bound to (`dev eth0`).
    public var tunnelDeviceIndex: UInt32?
    /// The firewall mark of such a tunnel's own packets.
    public var tunnelMark: UInt32?
    /// The UDP port to which such a tunnel sends its own packets (VXLAN, Geneve).
    public var tunnelPort: UInt16?
    /// `true` if another namespace carries the packets: that of the lower interface, or the one in which a tunnel was
    /// created and its own packets are routed (`IFLA_LINK_NETNSID`).
    public var hasForeignUnderlay: Bool {
        get { isCarriedElsewhere ?? false }
        set { isCarriedElsewhere = newValue ? true : nil }
    }
    /// Absent instead of `false`: a link recorded by an earlier version has no such member.
    private var isCarriedElsewhere: Bool?
    /// The routing table of a VRF (`IFLA_VRF_TABLE`).
    public var vrfTable: UInt32?
    /// The device group (`IFLA_GROUP`), which rules with `suppress_ifgroup` refer to; `nil` for group 0.
    public var group: UInt32?
    /// The alternative names (`IFLA_ALT_IFNAME`, since Linux 5.5) in the kernel's order, at most 64.
    ///
    /// An alternative name refers to one interface: the kernel rejects one that is another interface's name. It sends no
    /// message for a change of them while the interface is down, but when the interface is up again.
    public var alternativeNames: [String] {
        get { otherNames ?? [] }
        set { otherNames = newValue.isEmpty ? nil : newValue }
    }
    /// Absent instead of empty: a link recorded by an earlier version has no such member.
    private var otherNames: [String]?
    /// The kind of interface, with its evidence.
    public var classification: InterfaceClassification

    /// The interface index.
    public var id: UInt32 { index }

    /// The kind of interface.
    public var kind: InterfaceKind { classification.kind }

    /// Returns whether a condition holds for the interface's own name or an alternative one.
    ///
    /// A name in a configuration may be either: the kernel has one namespace for both.
    public func hasName(where isWanted: (String) -> Bool) -> Bool {
        isWanted(name) || alternativeNames.contains(where: isWanted)
    }

    /// `true` if the link itself can pass packets: administratively up, a carrier, and an operational state of `up` or
    /// `unknown`.
    ///
    /// None of the three is enough alone: a Wi-Fi station without keys has a carrier, a new one has RUNNING set, and a
    /// modem stays `unknown`. A bridge passes packets as soon as it has a carrier; its operational state stays `down`
    /// for up to a second more.
    public var isUsable: Bool {
        let isBehind = driverKind == "bridge" && operationalState == .down
        return flags.contains([.up, .lowerUp]) && (operationalState.allowsTraffic || isBehind)
    }

    /// `true` for a device from which no packet leaves: the loopback, a dummy or the like, unless overridden by the
    /// operator.
    public var leadsNowhere: Bool {
        guard classification.evidence.first?.source != .override else { return false }
        return flags.contains(.loopback) || ["dummy", "ifb", "nlmon", "blackhole"].contains(driverKind)
    }

    /// The driver families whose devices share the medium and the carrier of their lower one.
    static let stackedDrivers: Set<String> = ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"]

    /// The reason packets cannot pass, or a statement that they can.
    public var stateDescription: String {
        if isUsable { return "up" }
        if !flags.contains(.up) { return "administratively down" }
        if !flags.contains(.lowerUp) { return "no carrier" }
        return operationalState == .dormant
            ? "associated, waits for its keys (dormant)" : "operational state \(operationalState)"
    }

    /// Creates a link; omitted properties are unknown or absent.
    public init(
        index: UInt32,
        name: String,
        flags: LinkFlags = [],
        operationalState: OperationalState = .unknown,
        hardwareType: UInt16 = 1,
        driverKind: String? = nil,
        lowerIndex: UInt32? = nil,
        masterIndex: UInt32? = nil,
        activeMemberIndex: UInt32? = nil,
        parentDevice: String? = nil,
        tunnelRemote: IPAddress? = nil,
        tunnelLocal: IPAddress? = nil,
        tunnelDeviceIndex: UInt32? = nil,
        tunnelMark: UInt32? = nil,
        tunnelPort: UInt16? = nil,
        hasForeignUnderlay: Bool = false,
        vrfTable: UInt32? = nil,
        group: UInt32? = nil,
        alternativeNames: [String] = [],
        classification: InterfaceClassification = .init(kind: .unknown, evidence: [])
    ) {
        self.index = index
        self.name = name
        self.flags = flags
        self.operationalState = operationalState
        self.hardwareType = hardwareType
        self.driverKind = driverKind
        self.lowerIndex = lowerIndex
        self.masterIndex = masterIndex
        self.activeMemberIndex = activeMemberIndex
        self.parentDevice = parentDevice
        self.tunnelRemote = tunnelRemote
        self.tunnelLocal = tunnelLocal
        self.tunnelDeviceIndex = tunnelDeviceIndex
        self.tunnelMark = tunnelMark
        self.tunnelPort = tunnelPort
        isCarriedElsewhere = hasForeignUnderlay ? true : nil
        self.vrfTable = vrfTable
        self.group = group
        otherNames = alternativeNames.isEmpty ? nil : alternativeNames
        self.classification = classification
    }
}

/// The flags of a link (`ifi_flags`, netdevice(7)).
public struct LinkFlags: OptionSet, Sendable, Hashable, Codable {
    /// The kernel's bits, including unknown ones.
    public let rawValue: UInt32

    /// Creates flags from the kernel's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Administratively up (`IFF_UP`).
    public static let up = LinkFlags(rawValue: UInt32(IFF_UP))
    /// The loopback interface (`IFF_LOOPBACK`).
    public static let loopback = LinkFlags(rawValue: UInt32(IFF_LOOPBACK))
    /// One peer at the other end, no broadcast (`IFF_POINTOPOINT`).
    public static let pointToPoint = LinkFlags(rawValue: UInt32(IFF_POINTOPOINT))
    /// Neither ARP nor neighbour discovery is used (`IFF_NOARP`).
    public static let noARP = LinkFlags(rawValue: UInt32(IFF_NOARP))
    /// The kernel's RFC 2863 `up` (`IFF_RUNNING`); not reliable on its own.
    public static let running = LinkFlags(rawValue: UInt32(IFF_RUNNING))
    /// The driver has a carrier (`IFF_LOWER_UP`).
    public static let lowerUp = LinkFlags(rawValue: UInt32(CLIBNL_IFF_LOWER_UP))
    /// The link has a carrier and waits for an event (`IFF_DORMANT`).
    public static let dormant = LinkFlags(rawValue: UInt32(CLIBNL_IFF_DORMANT))
}

/// The operational state of a link (RFC 2863 `ifOperStatus`, kernel `IFLA_OPERSTATE`).
///
/// `unknown` is the normal state of working devices that never report more: wwan, ppp, wireguard, loopback.
public enum OperationalState: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible, Codable {
    /// The driver does not report a state; a working link may stay here forever.
    case unknown = 0
    /// The hardware is missing.
    case notPresent = 1
    /// No carrier, or administratively down.
    case down = 2
    /// The lower device (a VLAN's parent, a veth's peer) is down.
    case lowerLayerDown = 3
    /// The link is in test mode.
    case testing = 4
    /// The link has a carrier, but waits: a Wi-Fi station that is associated and has no keys yet.
    case dormant = 5
    /// The link passes packets.
    case up = 6

    /// `true` if packets may pass: `up`, or `unknown` because many drivers stay there.
    public var allowsTraffic: Bool { self == .up || self == .unknown }

    /// The name in `ip link`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notPresent: "notpresent"
        case .down: "down"
        case .lowerLayerDown: "lowerlayerdown"
        case .testing: "testing"
        case .dormant: "dormant"
        case .up: "up"
        }
    }
}
