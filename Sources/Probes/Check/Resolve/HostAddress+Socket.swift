internal import CheckResults
internal import Glibc
internal import NIOCore

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
