/// One network interface as the kernel describes it (`RTM_NEWLINK`), and what kind it is found to be.
public struct Link: Sendable, Hashable, Identifiable, Codable {
    /// The interface index: unique at any moment, may be used again after the interface is gone.
    public let index: UInt32
    /// The name, at most 15 bytes; it may change while the index stays.
    public var name: String
    /// The flags of `ifi_flags`.
    public var flags: LinkFlags
    /// RFC 2863 state.
    public var operationalState: OperationalState
    /// ARPHRD_… (`ifi_type`): 1 Ethernet, 772 loopback, 65534 none, 803 radiotap and so on.
    public var hardwareType: UInt16
    /// `IFLA_INFO_KIND`: the driver family of a software device, such as `veth`, `bridge`, `wireguard`, `wwan`.
    public var driverKind: String?
    /// The interface below (`IFLA_LINK`), when it is another one of the same namespace.
    public var lowerIndex: UInt32?
    /// The bridge, bond, team or VRF that this interface is a port of (`IFLA_MASTER`).
    public var masterIndex: UInt32?
    /// The member that a bond sends through at the moment (`IFLA_BOND_ACTIVE_SLAVE`).
    public var activeMemberIndex: UInt32?
    /// The bus device that carries the interface (`IFLA_PARENT_DEV_NAME`), such as `0000:00:1f.6`.
    public var parentDevice: String?
    /// The far end of a point-to-point tunnel whose address the kernel knows.
    public var tunnelRemote: IPAddress?
    /// The near end of such a tunnel, where it is fixed: what the kernel looks the far end's route up with.
    public var tunnelLocal: IPAddress?
    /// The interface that such a tunnel is bound to (`dev eth0`).
    public var tunnelDeviceIndex: UInt32?
    /// The firewall mark of such a tunnel's own packets.
    public var tunnelMark: UInt32?
    /// The routing table of a VRF (`IFLA_VRF_TABLE`).
    public var vrfTable: UInt32?
    /// The device group (`IFLA_GROUP`), which rules with `suppress_ifgroup` refer to; `nil` for group 0.
    public var group: UInt32?
    /// What kind of interface it is, and how that was found.
    public var classification: InterfaceClassification

    /// The interface index.
    public var id: UInt32 { index }

    /// The kind of interface.
    public var kind: InterfaceKind { classification.kind }

    /// Packets can pass as far as the link itself is concerned: administratively up, a carrier, and an operational
    /// state of `up` or `unknown`.
    ///
    /// None of the three is enough alone: a Wi-Fi station without keys has a carrier, one that was just set up claims
    /// RUNNING, and a modem never leaves `unknown`. A bridge passes packets as soon as it has a carrier; its operational
    /// state stays `down` for up to a second more.
    public var isUsable: Bool {
        let isBehind = driverKind == "bridge" && operationalState == .down
        return flags.contains([.up, .lowerUp]) && (operationalState.allowsTraffic || isBehind)
    }

    /// A link with these properties; everything that is left out is unknown or absent.
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
        vrfTable: UInt32? = nil,
        group: UInt32? = nil,
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
        self.vrfTable = vrfTable
        self.group = group
        self.classification = classification
    }
}
