internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// A network's announcement of its captive portal (RFC 8910), as systemd-networkd recorded it.
struct NetworkPortal: Sendable, Hashable {
    /// The uplink.
    let interface: String
    /// `true` if the default path leads through it.
    let isUsed: Bool
    /// The announcement.
    let uri: PortalURI

    /// Returns the announcements of the networks behind these uplinks; networks without one are left out.
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
