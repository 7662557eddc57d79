internal import HTTPSerialization

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
        let folder = root.hasSuffix("/") ? String(root.dropLast()) : root
        guard let file = try? OpenFile(path: "\(folder)/run/systemd/netif/links/\(interfaceIndex)"),
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
