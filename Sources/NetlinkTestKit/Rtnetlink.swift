/// The constants of kernel message headers, duplicated on purpose.
///
/// A test kit that took them from the same headers as the parser could not detect a wrong one.
public enum Rtnetlink {
    /// `NLMSG_NOOP`.
    public static let noop: UInt16 = 1
    /// `NLMSG_ERROR`.
    public static let error: UInt16 = 2
    /// `NLMSG_DONE`.
    public static let done: UInt16 = 3
    /// `NLMSG_OVERRUN`.
    public static let overrun: UInt16 = 4
    /// `RTM_NEWLINK`.
    public static let newLink: UInt16 = 16
    /// `RTM_DELLINK`.
    public static let deleteLink: UInt16 = 17
    /// `RTM_NEWADDR`.
    public static let newAddress: UInt16 = 20
    /// `RTM_DELADDR`.
    public static let deleteAddress: UInt16 = 21
    /// `RTM_NEWROUTE`.
    public static let newRoute: UInt16 = 24
    /// `RTM_DELROUTE`.
    public static let deleteRoute: UInt16 = 25
    /// `RTM_NEWNEIGH`.
    public static let newNeighbour: UInt16 = 28
    /// `RTM_DELNEIGH`.
    public static let deleteNeighbour: UInt16 = 29
    /// `RTM_NEWRULE`.
    public static let newRule: UInt16 = 32
    /// `RTM_DELRULE`.
    public static let deleteRule: UInt16 = 33
    /// `RTM_NEWNETCONF`.
    public static let newSetting: UInt16 = 80
    /// `RTM_NEWSTATS`.
    public static let newStatistics: UInt16 = 92
    /// `RTM_NEWNEXTHOP`.
    public static let newNextHop: UInt16 = 104
    /// `RTM_DELNEXTHOP`.
    public static let deleteNextHop: UInt16 = 105
    /// `RTM_NEWNEXTHOPBUCKET`.
    public static let newNextHopBucket: UInt16 = 116

    /// `NLM_F_MULTI`: one message of several.
    public static let multi: UInt16 = 0x2
    /// `NLM_F_DUMP_INTR`: the table changed while it was dumped.
    public static let dumpInterrupted: UInt16 = 0x10
    /// `NLM_F_CAPPED`: of the request only the header was copied.
    public static let capped: UInt16 = 0x100
    /// `NLM_F_ACK_TLVS`: attributes follow the copy of the request.
    public static let hasExtendedAck: UInt16 = 0x200

    /// `AF_UNSPEC`.
    public static let familyAny: UInt8 = 0
    /// `AF_BRIDGE`.
    public static let familyBridge: UInt8 = 7
    /// `RTNL_FAMILY_IPMR`: the multicast routing table.
    public static let familyMulticastRouting: UInt8 = 128

    /// Attributes of a link.
    public enum Link {
        /// `IFLA_IFNAME`.
        public static let name: UInt16 = 3
        /// `IFLA_LINK`.
        public static let lower: UInt16 = 5
        /// `IFLA_MASTER`.
        public static let master: UInt16 = 10
        /// `IFLA_WIRELESS`.
        public static let wireless: UInt16 = 11
        /// `IFLA_OPERSTATE`.
        public static let operationalState: UInt16 = 16
        /// `IFLA_LINKINFO`.
        public static let info: UInt16 = 18
        /// `IFLA_GROUP`.
        public static let group: UInt16 = 27
        /// `IFLA_CARRIER`.
        public static let carrier: UInt16 = 33
        /// `IFLA_LINK_NETNSID`.
        public static let lowerNamespace: UInt16 = 37
        /// `IFLA_PROP_LIST`.
        public static let properties: UInt16 = 52
        /// `IFLA_ALT_IFNAME`, in ``properties``.
        public static let alternativeName: UInt16 = 53
        /// `IFLA_PARENT_DEV_NAME`.
        public static let parentDevice: UInt16 = 56
        /// `IFLA_INFO_KIND`, in ``info``.
        public static let infoKind: UInt16 = 1
        /// `IFLA_INFO_DATA`, in ``info``.
        public static let infoData: UInt16 = 2
    }

    /// Attributes of an address.
    public enum Address {
        /// `IFA_ADDRESS`: the peer, or the address itself.
        public static let address: UInt16 = 1
        /// `IFA_LOCAL`.
        public static let local: UInt16 = 2
        /// `IFA_CACHEINFO`: the lifetimes.
        public static let lifetimes: UInt16 = 6
        /// `IFA_FLAGS`.
        public static let flags: UInt16 = 8
    }

    /// Attributes of a route.
    public enum Route {
        /// `RTA_DST`.
        public static let destination: UInt16 = 1
        /// `RTA_SRC`.
        public static let source: UInt16 = 2
        /// `RTA_OIF`.
        public static let interface: UInt16 = 4
        /// `RTA_GATEWAY`.
        public static let gateway: UInt16 = 5
        /// `RTA_PRIORITY`.
        public static let metric: UInt16 = 6
        /// `RTA_PREFSRC`.
        public static let preferredSource: UInt16 = 7
        /// `RTA_MULTIPATH`.
        public static let multipath: UInt16 = 9
        /// `RTA_CACHEINFO`: the lifetime, among other things.
        public static let cacheInfo: UInt16 = 12
        /// `RTA_TABLE`.
        public static let table: UInt16 = 15
        /// `RTA_VIA`.
        public static let via: UInt16 = 18
        /// `RTA_NH_ID`.
        public static let nextHopObject: UInt16 = 30
    }

    /// Attributes of a rule.
    public enum Rule {
        /// `FRA_DST`.
        public static let destination: UInt16 = 1
        /// `FRA_SRC`.
        public static let source: UInt16 = 2
        /// `FRA_IIFNAME`.
        public static let inputInterface: UInt16 = 3
        /// `FRA_GOTO`.
        public static let gotoPriority: UInt16 = 4
        /// `FRA_PRIORITY`.
        public static let priority: UInt16 = 6
        /// `FRA_FWMARK`.
        public static let mark: UInt16 = 10
        /// `FRA_SUPPRESS_IFGROUP`.
        public static let suppressedGroup: UInt16 = 13
        /// `FRA_SUPPRESS_PREFIXLEN`.
        public static let suppressedPrefixLength: UInt16 = 14
        /// `FRA_TABLE`.
        public static let table: UInt16 = 15
        /// `FRA_FWMASK`.
        public static let markMask: UInt16 = 16
    }
}
