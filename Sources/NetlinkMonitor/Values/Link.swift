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
    /// The interface that such a tunnel is bound to (`dev eth0`).
    public var tunnelDeviceIndex: UInt32?
    /// The firewall mark of such a tunnel's own packets.
    public var tunnelMark: UInt32?
    /// The routing table of a VRF (`IFLA_VRF_TABLE`).
    public var vrfTable: UInt32?
    /// The device group (`IFLA_GROUP`), which rules with `suppress_ifgroup` refer to; `nil` for group 0.
    public var group: UInt32?
    /// The kind of interface, with its evidence.
    public var classification: InterfaceClassification

    /// The interface index.
    public var id: UInt32 { index }

    /// The kind of interface.
    public var kind: InterfaceKind { classification.kind }

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
