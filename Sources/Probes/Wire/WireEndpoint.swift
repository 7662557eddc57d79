internal import CheckResults
internal import Glibc
package import NIOCore

/// The IP address of a datagram exchange, with its port and, for link-local addresses, its zone.
package struct WireEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// The address: 4 or 16 bytes in network byte order.
    package let bytes: [UInt8]
    /// The interface after `%`, if any.
    package let zone: String?
    /// The port; 0 for protocols without ports.
    package let port: UInt16

    /// Parses `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`; nil for anything else, including names.
    package init?(_ text: String, port: UInt16) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let bytes = IPAddressText.bytes(of: first) else { return nil }
        if parts.count > 1 { guard bytes.count == 16, !parts[1].isEmpty else { return nil } }
        self.bytes = bytes
        zone = parts.count > 1 ? parts[1] : nil
        self.port = port
    }

    /// The address without its port: `192.0.2.1`, `fe80::1%eth0`.
    package var addressText: String { IPAddressText.text(of: bytes) + (zone.map { "%" + $0 } ?? "") }

    package var description: String {
        switch (port, bytes.count) {
        case (0, _): addressText
        case (_, 16): "[\(addressText)]:\(port)"
        default: "\(addressText):\(port)"
        }
    }

    var isIPv6: Bool { bytes.count == 16 }

    /// `true` for fe80::/10, whose addresses mean nothing without an interface.
    var isLinkLocal: Bool { bytes.count == 16 && bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 }

    var ipv4: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
        return address
    }

    /// Returns the socket address; the zone of a link-local one is the bound interface, unless it names another.
    func ipv6(interface: String?) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
        if let zone = zone ?? (isLinkLocal ? interface : nil) {
            address.sin6_scope_id = UInt32(zone) ?? if_nametoindex(zone)
        }
        return address
    }

    package func socketAddress(interface: String?) -> SocketAddress {
        isIPv6 ? SocketAddress(ipv6(interface: interface)) : SocketAddress(ipv4)
    }
}

extension WireEndpoint {
    /// Creates an endpoint from a resolved address and a port.
    init(_ address: HostAddress, port: UInt16) {
        bytes = address.bytes
        zone = address.scope == 0 ? nil : String(address.scope)
        self.port = port
    }
}

extension HostAddress {
    /// Reads a `sockaddr_in` or a `sockaddr_in6`; nil for other families and for too few bytes.
    ///
    /// The members are read by their offsets, which the kernel's interface fixes: several C modules declare these
    /// structures, and which of them Swift takes the members from depends on the order of compilation.
    init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        switch CInt(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= 8: self.init(bytes: Array(bytes[4..<8]))
        case AF_INET6 where bytes.count >= 28:
            self.init(bytes: Array(bytes[8..<24]), scope: bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
        default: return nil
        }
    }

    /// Creates an address from one of SwiftNIO's socket addresses.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            guard let own = withUnsafeBytes(of: address.address, { HostAddress(socketAddress: $0) }) else { return nil }
            self = own
        case .v6(let address):
            guard let own = withUnsafeBytes(of: address.address, { HostAddress(socketAddress: $0) }) else { return nil }
            self = own
        case .unixDomainSocket: return nil
        }
    }
}
