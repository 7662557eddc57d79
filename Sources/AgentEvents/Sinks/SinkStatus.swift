/// The state of a sink: a program of its own reports it, and the agent shows it.
public struct SinkStatus: Codable, Sendable, Hashable {
    /// The state of the connection.
    public struct State: OpenCode {
        /// The word.
        public let rawValue: String

        /// A state.
        public init(_ word: String) { rawValue = word }

        /// `reachagent-sink` has not reported yet: it is not installed, or does not run.
        public static let absent = State("absent")
        /// It waits for connectivity, for another uplink, for tomorrow's budget, or for the next attempt.
        public static let waiting = State("waiting")
        /// It is connecting.
        public static let connecting = State("connecting")
        /// It is connected.
        public static let connected = State("connected")
    }

    /// The name: `[sink.NAME]`.
    public var name: String
    /// The broker, without credentials.
    public var broker: String
    /// The state of the connection.
    public var state: State
    /// The moment at which the state began; `nil` while absent.
    public var since: Timestamp?
    /// The reason that it is not connected, or that an event was refused: a stable code.
    public var code: String?
    /// A sentence for people.
    public var detail: String?
    /// The number up to which the broker has all events; `nil` while that is not known.
    public var acknowledged: UInt64?
    /// The moment of the last acknowledgement.
    public var acknowledgedTime: Timestamp?
    /// The number of events that wait.
    public var pending: UInt64?
    /// The number of events that were lost to the broker, since the sink was configured.
    public var lost: UInt64

    private enum CodingKeys: String, CodingKey {
        case name, broker, state, since, code, detail
        case acknowledged = "acknowledged_seq"
        case acknowledgedTime = "acknowledged_time"
        case pending, lost
    }

    /// A status.
    public init(
        name: String,
        broker: String,
        state: State = .absent,
        since: Timestamp? = nil,
        code: String? = nil,
        detail: String? = nil,
        acknowledged: UInt64? = nil,
        acknowledgedTime: Timestamp? = nil,
        pending: UInt64? = nil,
        lost: UInt64 = 0
    ) {
        self.name = name
        self.broker = broker
        self.state = state
        self.since = since
        self.code = code
        self.detail = detail
        self.acknowledged = acknowledged
        self.acknowledgedTime = acknowledgedTime
        self.pending = pending
        self.lost = lost
    }
}
