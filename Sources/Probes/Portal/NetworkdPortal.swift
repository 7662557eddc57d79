/// Reads what systemd-networkd learned about captive portals (RFC 8910).
///
/// Since version 254 it keeps the address from DHCP options 114 and 103 and from router advertisements in its state file
/// of the link, `/run/systemd/netif/links/IFINDEX`. The file is read as it is: whoever can write there is root.
public enum NetworkdPortal {
    /// The largest state file that is read, in bytes.
    static let maximumBytes = 64 * 1024

    /// What the network behind an interface tells; nil when it tells nothing, or nothing that could be used.
    ///
    /// - Parameters:
    ///   - interfaceIndex: The interface's index in the kernel.
    ///   - root: The folder that stands for `/`.
    public static func uri(interfaceIndex: Int, root: String = "/") -> PortalURI? {
        guard interfaceIndex > 0 else { return nil }
        let folder = root.hasSuffix("/") ? String(root.dropLast()) : root
        guard let file = try? OpenFile(path: "\(folder)/run/systemd/netif/links/\(interfaceIndex)"),
            file.length <= maximumBytes, let bytes = try? file.read(at: 0, upTo: maximumBytes)
        else { return nil }
        return uri(inStateFile: bytes)
    }

    /// What a state file tells; of several lines the last one counts.
    static func uri(inStateFile bytes: [UInt8]) -> PortalURI? {
        let name = Array("CAPTIVE_PORTAL=".utf8)
        guard let line = bytes.split(separator: UInt8(ascii: "\n")).last(where: { $0.starts(with: name) }),
            case let value = line.dropFirst(name.count), value.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return PortalURI(String(decoding: value, as: UTF8.self))
    }
}
