internal import CLibNL

/// The attributes of `IFLA_INFO_DATA` that determine the routing of a tunnel's own packets, by kind (linux/if_tunnel.h,
/// linux/if_link.h).
struct TunnelAttributes {
    /// The remote; of several the first that contains an address.
    let remote: [Int]
    /// The local address.
    let local: [Int]
    /// The interface that the tunnel is bound to.
    let device: Int?
    /// The firewall mark of the tunnel's packets.
    let mark: Int?

    /// Returns the attributes of a kind; `nil` for one whose remote the kernel does not report.
    init?(kind: String) {
        switch kind {
        case "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan":
            self.init([Int(IFLA_GRE_REMOTE)], [Int(IFLA_GRE_LOCAL)], Int(IFLA_GRE_LINK), Int(IFLA_GRE_FWMARK))
        case "ipip", "sit", "ip6tnl":
            self.init([Int(IFLA_IPTUN_REMOTE)], [Int(IFLA_IPTUN_LOCAL)], Int(IFLA_IPTUN_LINK), Int(IFLA_IPTUN_FWMARK))
        case "vti", "vti6":
            self.init([Int(IFLA_VTI_REMOTE)], [Int(IFLA_VTI_LOCAL)], Int(IFLA_VTI_LINK), Int(IFLA_VTI_FWMARK))
        case "vxlan":
            self.init(
                [Int(IFLA_VXLAN_GROUP), Int(IFLA_VXLAN_GROUP6)],
                [Int(IFLA_VXLAN_LOCAL), Int(IFLA_VXLAN_LOCAL6)],
                Int(IFLA_VXLAN_LINK),
                nil
            )
        case "geneve": self.init([Int(IFLA_GENEVE_REMOTE), Int(IFLA_GENEVE_REMOTE6)], [], nil, nil)
        default: return nil
        }
    }

    private init(_ remote: [Int], _ local: [Int], _ device: Int?, _ mark: Int?) {
        self.remote = remote
        self.local = local
        self.device = device
        self.mark = mark
    }
}
