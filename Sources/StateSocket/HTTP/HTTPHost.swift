internal import Glibc

/// The host that a request names.
struct HTTPHost: Hashable {
    /// The name or address, without the port and in lower case; an IPv6 address without its brackets.
    let name: String
    /// `true` for an address.
    let isAddress: Bool

    /// `true` for a host that no stranger's name server can point here: `localhost`, or an address.
    var isLocal: Bool { isAddress || name == "localhost" }

    /// Reads a Host header: `localhost:9718`, `127.0.0.1`, `[::1]:9718`.
    init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard (1...255).contains(bytes.count) else { return nil }
        let end: Int
        if bytes[0] == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = String(decoding: bytes[1..<bracket], as: UTF8.self).lowercased()
            isAddress = Self.isAddress(name, AF_INET6)
            guard isAddress else { return nil }
            end = bracket + 1
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            let isName = bytes[..<end].allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
            guard end > 0, isName else { return nil }
            name = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
            isAddress = Self.isAddress(name, AF_INET)
        }
        let port = bytes[end...]
        guard
            port.isEmpty
                || (port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
        else { return nil }
    }

    /// Returns whether an origin is that of the host which the request names.
    static func isOrigin(_ origin: String, of host: String) -> Bool {
        ["http://", "https://"].contains { "\($0)\(host)".lowercased() == origin.lowercased() }
    }

    private static func isAddress(_ text: String, _ family: CInt) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}
