/// Where the sockets are, who may use them, and what they may cost.
public struct StateSocketConfiguration: Sendable, Hashable {
    /// The directory of `events.sock` and `control.sock`, made with mode 0755 when it is missing.
    public var directory: String
    /// The sockets' permission bits.
    public var mode: UInt32
    /// The sockets' group, by name or number; `nil` leaves the process's.
    public var group: String?
    /// The most connections, both sockets together.
    public var mostConnections: Int
    /// How many bytes of the newest events are kept in memory; who falls further behind is cut off.
    public var ringBytes: Int
    /// How many of the newest events are kept in memory.
    public var ringEvents: Int
    /// The longest request, in bytes.
    public var mostRequestBytes: Int
    /// The memory that all requests together may take which have not been handled, in bytes.
    public var requestMemory: Int
    /// How long a client may take for its first request, and for the rest of one that it has begun.
    public var requestPatience: Duration
    /// How long a subscriber that was cut off may take to read the line that tells so.
    public var lagPatience: Duration

    /// A configuration.
    public init(
        directory: String,
        mode: UInt32 = 0o660,
        group: String? = nil,
        mostConnections: Int = 4096,
        ringBytes: Int = 4 << 20,
        ringEvents: Int = 16_384,
        mostRequestBytes: Int = 64 << 10,
        requestMemory: Int = 8 << 20,
        requestPatience: Duration = .seconds(30),
        lagPatience: Duration = .seconds(30)
    ) {
        self.directory = directory
        self.mode = mode
        self.group = group
        self.mostConnections = mostConnections
        self.ringBytes = ringBytes
        self.ringEvents = ringEvents
        self.mostRequestBytes = mostRequestBytes
        self.requestMemory = requestMemory
        self.requestPatience = requestPatience
        self.lagPatience = lagPatience
    }
}
