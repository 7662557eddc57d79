/// The state of a sink: `reachagent-sink` reports it, and the agent shows it.
public struct SinkStatus: Codable, Sendable, Hashable {
    /// The state of the connection.
    public struct State: OpenCode {
        /// The code.
        public let rawValue: String

        /// Creates a state.
        public init(_ word: String) { rawValue = word }

        /// `reachagent-sink` has not reported yet: it is not installed, or not running.
        public static let absent = State("absent")
        /// The sink waits for connectivity, for another uplink, for tomorrow's budget, or for the next attempt.
        public static let waiting = State("waiting")
        /// The sink is connecting.
        public static let connecting = State("connecting")
        /// The sink is connected.
        public static let connected = State("connected")
    }

    /// The name: `[sink.NAME]`.
    public var name: String
    /// The broker, without credentials.
    public var broker: String
    /// The state of the connection.
    public var state: State
    /// The moment at which the sink was connected, or at which it ceased to be; on the clock as it is set now, and `nil`
    /// while absent.
    public var since: Timestamp?
    /// The stable code of the reason that it is not connected, or that an event was rejected.
    public var code: String?
    /// A sentence for people.
    public var detail: String?
    /// The number up to which the broker has all events; `nil` if it is not known.
    public var acknowledged: UInt64?
    /// The moment of the last acknowledgement, on the clock as it is set now.
    public var acknowledgedTime: Timestamp?
    /// The number of waiting events.
    public var pending: UInt64?
    /// The number of events lost to the broker since the sink was configured.
    public var lost: UInt64

    private enum CodingKeys: String, CodingKey {
        case name, broker, state, since, code, detail
        case acknowledged = "acknowledged_seq"
        case acknowledgedTime = "acknowledged_time"
        case pending, lost
    }

    /// Creates a status.
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

/// The report of a sink to its agent: the parameters of the control method `sink`.
public struct SinkReport: Codable, Sendable, Hashable {
    /// The state, whose ``SinkStatus/pending`` and ``SinkStatus/lost`` the agent counts itself.
    public var status: SinkStatus
    /// The name of this machine at the broker.
    public var device: String
    /// The stream of numbers that ``SinkStatus/acknowledged`` belongs to.
    public var stream: String?
    /// The bytes that the connection used since the last report, for the budget of metered uplinks.
    public var bytes: UInt64
    /// The events that the broker rejected permanently; `nil` if there are none.
    ///
    /// Each loss is reported once, and the agent publishes it as `sink.lost`.
    public var lost: SinkLoss?

    /// Creates a report.
    public init(status: SinkStatus, device: String, stream: String?, bytes: UInt64, lost: SinkLoss? = nil) {
        self.status = status
        self.device = device
        self.stream = stream
        self.bytes = bytes
        self.lost = lost
    }

    /// The target that the report is about.
    public var target: SinkTarget { SinkTarget(broker: status.broker, device: device) }
}

/// The destination of a sink's events: a broker, and the name of this machine there.
///
/// A sink with another target starts anew: its cursor, its progress and its reports say nothing about that one.
public struct SinkTarget: Sendable, Hashable {
    /// The broker, without credentials.
    public var broker: String
    /// The name of this machine at the broker.
    public var device: String

    /// Creates a target.
    public init(broker: String, device: String) {
        self.broker = broker
        self.device = device
    }
}

/// The agent's answer to a sink's report.
public struct SinkReportReply: Codable, Sendable, Hashable {
    /// True if the path that the sink would use is metered.
    public var isMetered: Bool
    /// The number of bytes that may still be used over it today; `nil` without a limit.
    public var budget: UInt64?

    private enum CodingKeys: String, CodingKey {
        case isMetered = "metered"
        case budget = "budget_bytes"
    }

    /// Creates an answer.
    public init(isMetered: Bool, budget: UInt64? = nil) {
        self.isMetered = isMetered
        self.budget = budget
    }
}

/// Events that a sink's broker will never receive.
public struct SinkLoss: Codable, Sendable, Hashable {
    /// The code of events that were removed from the journal before the broker had them.
    public static let expired = "events_expired"

    /// The sink.
    public var sink: String
    /// The number of the first lost event.
    public var firstSequence: UInt64
    /// The number of the last lost event.
    public var lastSequence: UInt64
    /// The number of lost events, if it is not that of all numbers in between: those of a sink with `types`.
    public var matching: UInt64?
    /// The reason: ``expired``, or the code of the permanent rejection, such as `broker_too_large`.
    public var code: String

    private enum CodingKeys: String, CodingKey {
        case sink
        case firstSequence = "first_seq"
        case lastSequence = "last_seq"
        case matching = "count"
        case code
    }

    /// Creates a loss.
    public init(
        sink: String,
        firstSequence: UInt64,
        lastSequence: UInt64,
        matching: UInt64? = nil,
        code: String = SinkLoss.expired
    ) {
        self.sink = sink
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
        self.matching = matching
        self.code = code
    }

    /// The number of lost events; 0 for numbers in the wrong order.
    public var count: UInt64 { min(span, matching ?? span) }

    private var span: UInt64 { lastSequence < firstSequence ? 0 : lastSequence - firstSequence &+ 1 }

    /// `events 12 to 40 were lost to the broker [events_expired]`.
    public var summary: String {
        let events =
            if firstSequence == lastSequence {
                "event \(firstSequence) was"
            } else if count < span {
                "\(count) of the events \(firstSequence) to \(lastSequence) \(count == 1 ? "was" : "were")"
            } else {
                "events \(firstSequence) to \(lastSequence) were"
            }
        return "\(events) lost to the broker [\(code)]"
    }
}
