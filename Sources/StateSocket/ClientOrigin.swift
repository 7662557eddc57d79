internal import Glibc
internal import NIOCore

/// The party on whose account a connection counts: a user of this machine, or another host.
enum ClientOrigin: Hashable, Comparable, CustomStringConvertible {
    /// A local user; the invalid one if the kernel does not know it.
    case user(UInt32)
    /// Another host, by its address.
    case host(RemoteHost)

    /// `the user 1000`, `the host 192.0.2.7`.
    var description: String {
        switch self {
        case .user(let number): "the user \(number)"
        case .host(let host): "the host \(host)"
        }
    }
}

/// Another machine, as far as connections are counted: an IPv4 address, or an IPv6 network of 64 bits, of which one machine
/// can use every address.
struct RemoteHost: Hashable, Comparable, CustomStringConvertible {
    private let network: [UInt8]

    /// Reads the address of a connection; `nil` for one that is not over IP.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): network = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): network = withUnsafeBytes(of: address.address.sin6_addr) { Array($0.prefix(8)) }
        case .unixDomainSocket, nil: return nil
        }
    }

    /// Creates the host of an IPv4 address or IPv6 network.
    init(network: [UInt8]) { self.network = network }

    /// `192.0.2.7`, `2001:db8::/64`.
    var description: String {
        let isIPv4 = network.count == 4
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let address = network + Array(repeating: 0, count: max(0, 16 - network.count))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, address, &text, socklen_t(text.count))
        let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return isIPv4 ? name : "\(name)/64"
    }

    static func < (one: RemoteHost, other: RemoteHost) -> Bool { one.network.lexicographicallyPrecedes(other.network) }
}
