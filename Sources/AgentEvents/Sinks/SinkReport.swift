/// The report of a sink to its agent: the parameters of the control method `sink`.
public struct SinkReport: Codable, Sendable, Hashable {
    /// The state; its ``SinkStatus/pending`` and ``SinkStatus/lost`` are the agent's to count.
    public var status: SinkStatus
    /// The stream of numbers that ``SinkStatus/acknowledged`` belongs to.
    public var stream: String?
    /// The bytes that the connection used since the last report, for the budget of metered uplinks.
    public var bytes: UInt64
    /// Events that the broker refused for good; `nil` without any.
    ///
    /// Each loss is reported once, and the agent publishes it as `sink.lost`.
    public var lost: SinkLoss?

    /// A report.
    public init(status: SinkStatus, stream: String?, bytes: UInt64, lost: SinkLoss? = nil) {
        self.status = status
        self.stream = stream
        self.bytes = bytes
        self.lost = lost
    }
}

/// The agent's answer to a sink's report.
public struct SinkReportReply: Codable, Sendable, Hashable {
    /// True when the path that the sink would use is metered.
    public var isMetered: Bool
    /// The number of bytes that may still be used over it today; `nil` for any number.
    public var budget: UInt64?

    private enum CodingKeys: String, CodingKey {
        case isMetered = "metered"
        case budget = "budget_bytes"
    }

    /// An answer.
    public init(isMetered: Bool, budget: UInt64? = nil) {
        self.isMetered = isMetered
        self.budget = budget
    }
}
