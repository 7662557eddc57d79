public import AgentEvents

/// The figures of a probe's transfers.
public struct TransferMetrics: Sendable, Hashable {
    /// The newest transfer that measured something and did not give way; `nil` before the first one.
    public private(set) var last: Transfer?
    /// Its end, in seconds since 1970.
    public private(set) var ended: Double?
    /// The payload bytes of all transfers since the start of the agent.
    public private(set) var downloadedBytes: UInt64 = 0
    /// The payload bytes sent by all transfers since the start of the agent.
    public private(set) var uploadedBytes: UInt64 = 0

    /// No transfers.
    public init() {}

    /// Adds a transfer.
    ///
    /// - Parameters:
    ///   - transfer: The measurements.
    ///   - ended: Its end, in seconds since 1970.
    ///   - counts: `false` for one that gave way, of which only the bytes count.
    public mutating func add(_ transfer: Transfer, endedAt ended: Double, counts: Bool) {
        downloadedBytes &+= UInt64(clamping: transfer.download?.bytes ?? 0)
        uploadedBytes &+= UInt64(clamping: transfer.upload?.bytes ?? 0)
        if counts { (last, self.ended) = (transfer, ended) }
    }
}
