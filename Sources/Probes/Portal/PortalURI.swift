/// What a network tells about its captive portal by DHCP or router advertisements (RFC 8910).
public enum PortalURI: Sendable, Hashable {
    /// The address of an interface that speaks RFC 8908; always `https`.
    case api(String)
    /// The address of a page for a person, as networks of the time of RFC 7710 give it; always `http`.
    case userPage(String)
    /// The network says that it has no portal (`urn:ietf:params:capport:unrestricted`).
    case unrestricted

    /// Reads an address as the network gives it; nil for one that must be neither asked nor shown.
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
