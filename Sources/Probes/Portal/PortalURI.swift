internal import HTTPSerialization

/// The captive portal information of a network, from DHCP or router advertisements (RFC 8910).
public enum PortalURI: Sendable, Hashable {
    /// The address of an API by RFC 8908; always `https`.
    case api(String)
    /// The address of a login page, as announced by networks from the time of RFC 7710; always `http`.
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

/// Reads the captive portal information of systemd-networkd (RFC 8910).
///
/// Since version 254 it keeps the address from DHCP options 114 and 103 and from router advertisements in its state
/// file of the link, `/run/systemd/netif/links/IFINDEX`. The file is trusted, because only root can write it.
public enum NetworkdPortal {
    /// The maximum size of a state file, in bytes.
    static let maximumBytes = 64 * 1024

    /// Returns the portal information of the network behind an interface; nil if there is none, or none that is usable.
    ///
    /// - Parameters:
    ///   - interfaceIndex: The interface's index in the kernel.
    ///   - root: The directory used as `/`.
    public static func uri(interfaceIndex: Int, root: String = "/") -> PortalURI? {
        guard interfaceIndex > 0 else { return nil }
        let directory = root.hasSuffix("/") ? String(root.dropLast()) : root
        guard let file = try? OpenFile(path: "\(directory)/run/systemd/netif/links/\(interfaceIndex)"),
            file.length <= maximumBytes, let bytes = try? file.read(at: 0, upTo: maximumBytes)
        else { return nil }
        return uri(inStateFile: bytes)
    }

    /// Returns the portal information of a state file; the last line of several counts.
    static func uri(inStateFile bytes: [UInt8]) -> PortalURI? {
        let name = Array("CAPTIVE_PORTAL=".utf8)
        guard let line = bytes.split(separator: UInt8(ascii: "\n")).last(where: { $0.starts(with: name) }),
            case let value = line.dropFirst(name.count), value.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return PortalURI(String(decoding: value, as: UTF8.self))
    }
}

/// Sanitizes addresses from the network for display.
///
/// Anyone on the path can write them, and a user will open them: only `http` and `https` pass, without
/// credentials, in printable ASCII, and of bounded length.
enum PortalURL {
    /// The maximum length of an address, in bytes.
    static let maximumLength = 2048

    /// Resolves a reference against a base address; nil when the result cannot be shown.
    static func resolved(_ reference: String, at place: String) -> String? {
        guard let base = try? HTTPURL(parsing: place), let url = try? base.resolving(reference: reference) else {
            return nil
        }
        return shown(url, fragmentOf: reference)
    }

    /// Returns an absolute address in its normal form; nil when it cannot be shown.
    static func absolute(_ text: String, overTLS needsTLS: Bool = false) -> String? {
        guard let url = try? HTTPURL(parsing: text), url.scheme == .https || !needsTLS else { return nil }
        return shown(url, fragmentOf: text)
    }

    /// Returns the address with its fragment, in which some portals keep the device's state.
    private static func shown(_ url: HTTPURL, fragmentOf text: String) -> String? {
        let mark = UInt8(ascii: "#")
        let fragment = Array(text.utf8.drop { $0 != mark })
        var bytes = Array(url.description.utf8)
        if fragment.count > 1, fragment.allSatisfy({ (0x21...0x7E).contains($0) }) { bytes += fragment }
        guard bytes.count <= maximumLength, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
