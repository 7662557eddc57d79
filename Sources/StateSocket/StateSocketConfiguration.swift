internal import Glibc
public import PortAccess

/// The directory, permissions and limits of the sockets.
public struct StateSocketConfiguration: Sendable, Hashable {
    /// The directory of `events.sock`, `control.sock` and `http.sock`, created with mode 0755 if it is missing.
    public var directory: String
    /// The sockets' permission bits.
    public var mode: UInt32
    /// The sockets' group, by name or number; `nil` for that of the process.
    public var group: String?
    /// The maximum number of connections, of all sockets together.
    public var maximumConnections: Int
    /// The maximum size of the newest events in memory, in bytes; a subscriber that falls further behind is cut off.
    public var ringBytes: Int
    /// The maximum number of the newest events in memory.
    public var ringEvents: Int
    /// The maximum size of a request, in bytes.
    public var maximumRequestBytes: Int
    /// The maximum memory of all unhandled requests together, in bytes.
    public var requestMemory: Int
    /// The maximum memory of all unread replies and HTTP answers together, except those of up to four connections of
    /// each user, in bytes.
    public var answerMemory: Int
    /// The maximum time that a client may take for its first request, and for the rest of an incomplete one.
    public var requestPatience: Duration
    /// The maximum time that a subscriber may take for one part of a replay, about 100 KB; then it is cut off.
    public var replayPatience: Duration
    /// The time after which a client that reads nothing of an HTTP answer, or of what it was sent before its connection
    /// ends, is closed, at most twice as long after its last read; one that reads may take any time.
    ///
    /// The kernel shows what was read in steps of up to about 100 KB.
    public var lagPatience: Duration
    /// The time after which an idle server-sent stream gets its position; at most twice as long passes without a byte.
    public var heartbeatInterval: Duration
    /// The time after which a TCP port that could not be opened is retried.
    public var portRetryInterval: Duration
    /// The TCP ports in addition to `http.sock`, and the accepted host names.
    public var http: HTTPConfiguration

    /// Creates a configuration.
    public init(
        directory: String,
        mode: UInt32 = 0o660,
        group: String? = nil,
        maximumConnections: Int = 4096,
        ringBytes: Int = 4 << 20,
        ringEvents: Int = 16_384,
        maximumRequestBytes: Int = 64 << 10,
        requestMemory: Int = 4 << 20,
        answerMemory: Int = 2 << 20,
        requestPatience: Duration = .seconds(30),
        replayPatience: Duration = .seconds(60),
        lagPatience: Duration = .seconds(30),
        heartbeatInterval: Duration = .seconds(15),
        portRetryInterval: Duration = .seconds(30),
        http: HTTPConfiguration = HTTPConfiguration()
    ) {
        self.directory = directory
        self.mode = mode
        self.group = group
        self.maximumConnections = maximumConnections
        self.ringBytes = ringBytes
        self.ringEvents = ringEvents
        self.maximumRequestBytes = maximumRequestBytes
        self.requestMemory = requestMemory
        self.answerMemory = answerMemory
        self.requestPatience = requestPatience
        self.replayPatience = replayPatience
        self.lagPatience = lagPatience
        self.heartbeatInterval = heartbeatInterval
        self.portRetryInterval = portRetryInterval
        self.http = http
    }
}

/// The TCP ports of the HTTP server, and the host names that it accepts.
public struct HTTPConfiguration: Sendable, Hashable {
    /// The ports.
    public var listen: [HTTPPort]
    /// The host names that requests may have besides `localhost` and addresses, in lower case.
    public var names: Set<String>
    /// The access rules for the ports that other hosts can reach; without rules, these ports refuse all clients.
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

    /// `true` for an address in 127.0.0.0/8 and for `::1`, which only this machine can reach.
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
