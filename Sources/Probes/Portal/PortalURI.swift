/// The captive portal information of a network, from DHCP or router advertisements (RFC 8910).
public enum PortalURI: Sendable, Hashable {
    /// The address of an API by RFC 8908; always `https`.
    case api(String)
    /// The address of a login page, as networks from the time of RFC 7710 announce it; always `http`.
    case userPage(String)
    /// The network announces that it has no portal (`urn:ietf:params:capport:unrestricted`).
    case unrestricted

    /// Parses an announced address; nil for one that must be neither queried nor shown.
    public init?(_ text: String) {
        if text.lowercased() == "urn:ietf:params:capport:unrestricted" {
            self = .unrestricted
        } else if let url = PortalURL.absolute(text, overTLS: true) {
            self = .api(url)
        } else if let url = PortalURL.absolute(text) {
            self = .userPage(url)
        } else {
            return nil
        }
    }
}
