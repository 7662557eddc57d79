internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// What the network behind an uplink tells about its captive portal (RFC 8910), as systemd-networkd recorded it.
struct NetworkPortal: Sendable, Hashable {
    /// The uplink.
    let interface: String
    /// Whether the default path leads through it.
    let isUsed: Bool
    /// What the network tells.
    let uri: PortalURI

    /// What the networks behind these uplinks tell; those that tell nothing are left out.
    static func told(behind uplinks: [Uplink]) -> [NetworkPortal] {
        uplinks.compactMap { uplink in
            guard let uri = NetworkdPortal.uri(interfaceIndex: Int(uplink.interface.index)) else { return nil }
            return NetworkPortal(interface: uplink.interface.name, isUsed: uplink.isUsed, uri: uri)
        }
    }

    /// The page for a person, where the network names it itself.
    var page: String? {
        guard case .userPage(let url) = uri else { return nil }
        return url
    }
}
