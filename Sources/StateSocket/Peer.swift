internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import NIOCore

/// The peer of a connection, at the time of connecting.
struct Peer: Sendable, Hashable {
    /// The process; `nil` for a TCP connection.
    var process: Int32?
    var user: UInt32
    /// The group; `nil` for a TCP connection.
    var group: UInt32?
    /// The name of the process in printable form; `nil` if it is not visible, or was not looked up.
    var command: String?

    /// Reads the peer of a socket from the kernel (SO_PEERCRED in unix(7)).
    init?(of descriptor: CInt) {
        // A struct ucred: three 32-bit numbers, which Swift's Glibc does not import.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        let size = MemoryLayout.size(ofValue: credentials)
        var length = socklen_t(size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == size else {
            return nil
        }
        process = credentials.pid
        user = credentials.uid
        group = credentials.gid
    }

    /// Looks up the peer of a TCP connection within this machine.
    init?(ofTCP descriptor: CInt) {
        guard let user = SocketPeer.user(ofTCP: descriptor) else { return nil }
        self.user = user
    }

    /// Looks up the name of the process.
    mutating func findCommand() { command = process.flatMap(Self.command) }

    private static func command(of process: Int32) -> String? {
        // A process of another namespace has the number 0.
        guard process > 0 else { return nil }
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        // A program may give itself any name that fits.
        return ForeignText.shown(text.prefix(count).prefix { $0 != UInt8(ascii: "\n") })
    }
}

/// The user of this machine, or the other host, to which a connection is attributed.
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

/// Another host for counting connections: an IPv4 address, or a /64 IPv6 network, of which one host can use every
/// address.
///
/// The network of the link-local addresses is another one on each link. Its hosts are not counted one by one: a host on
/// the link could invent addresses, and take the share of all other hosts instead of that of its link.
struct RemoteHost: Hashable, Comparable, CustomStringConvertible {
    private let network: [UInt8]
    /// The index of the interface of a link-local network; 0 for others.
    private let link: UInt32

    /// Reads the address of a connection; `nil` for one that is not over IP.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            network = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
            link = 0
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0.prefix(8)) }
            let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
            network = isLinkLocal ? [0xFE, 0x80, 0, 0, 0, 0, 0, 0] : bytes
            link = isLinkLocal ? address.address.sin6_scope_id : 0
        case .unixDomainSocket, nil: return nil
        }
    }

    /// Creates the host of an IPv4 address or IPv6 network.
    init(network: [UInt8]) {
        self.network = network
        link = 0
    }

    /// `192.0.2.7`, `2001:db8::/64`, `fe80::%2/64` (RFC 4007, section 11.7).
    var description: String {
        let isIPv4 = network.count == 4
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let address = network + Array(repeating: 0, count: max(0, 16 - network.count))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, address, &text, socklen_t(text.count))
        let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return isIPv4 ? name : link == 0 ? "\(name)/64" : "\(name)%\(link)/64"
    }

    static func < (one: RemoteHost, other: RemoteHost) -> Bool {
        if one.network == other.network { return one.link < other.link }
        return one.network.lexicographicallyPrecedes(other.network)
    }
}
