internal import Glibc
public import PortAccess

/// The TCP ports of the HTTP server, and the names by which it may be called.
public struct HTTPConfiguration: Sendable, Hashable {
    /// The ports.
    public var listen: [HTTPPort]
    /// The names of hosts that requests may have besides `localhost` and addresses, in lower case.
    public var names: Set<String>
    /// The rules for the ports that lead beyond this machine; without any they serve nobody.
    public var access: PortAccess?

    /// Creates a configuration.
    public init(listen: [HTTPPort] = [], names: Set<String> = [], access: PortAccess? = nil) {
        self.listen = listen
        self.names = names
        self.access = access
    }
}

/// An address of this machine with a TCP port.
public struct HTTPPort: Sendable, Hashable, CustomStringConvertible {
    /// The address.
    public var address: String
    /// The port.
    public var port: UInt16

    /// Creates a port.
    public init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `true` for an address in 127.0.0.0/8 and for `::1`, which only this machine reaches.
    public var isLoopback: Bool {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, address, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        guard inet_pton(AF_INET6, address, &six) == 1 else { return false }
        return withUnsafeBytes(of: &six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    /// `127.0.0.1:9718`, `[::1]:9718`.
    public var description: String {
        address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
