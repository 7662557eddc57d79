/// The TCP ports of the HTTP server, and the names by which it may be called.
public struct HTTPConfiguration: Sendable, Hashable {
    /// The ports; none of them leads beyond this machine.
    public var listen: [HTTPPort]
    /// The names of hosts that requests may have besides `localhost` and addresses, in lower case.
    public var names: Set<String>

    /// Creates a configuration.
    public init(listen: [HTTPPort] = [], names: Set<String> = []) {
        self.listen = listen
        self.names = names
    }
}

/// An address of the loopback with a TCP port.
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

    /// `127.0.0.1:9718`, `[::1]:9718`.
    public var description: String {
        address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
