/// The reports of a ``NetworkMonitor``, in order.
public enum NetworkEvent: Sendable {
    /// The network changed; the first update is complete and has no changes.
    case update(NetworkUpdate)
    /// Kernel messages were lost or malformed. Everything is read again at once.
    case overrun(Overrun)
    /// Everything was read again, and the snapshot is reliable again.
    case resynchronized(Resynchronization)
    /// Reading everything again failed; the next attempt follows automatically.
    case resynchronizationFailed(NetlinkError, retryIn: Duration)
}

/// A new snapshot, its changes, and the time of the kernel's message.
public struct NetworkUpdate: Sendable {
    /// The snapshot.
    public let snapshot: NetworkSnapshot
    /// The differences from the previous update: causes before effects.
    ///
    /// Empty for the first one, and for a merged one of ``NetworkUpdates`` whose changes were reverted meanwhile.
    public let changes: [NetworkChange]
    /// The time at which the causing message was read from the socket.
    public let observed: ObservedTime

    /// Creates an update.
    public init(snapshot: NetworkSnapshot, changes: [NetworkChange], observed: ObservedTime) {
        self.snapshot = snapshot
        self.changes = changes
        self.observed = observed
    }
}

/// A loss: kernel messages were dropped or malformed, so the snapshot may be out of date.
public struct Overrun: Sendable, Hashable {
    /// The reason for a loss; the raw values are stable and may be stored.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The receive buffer was full (ENOBUFS).
        case bufferFull = "netlink_overrun"
        /// A message was longer than the read buffer.
        case truncated = "netlink_truncated"
        /// A message could not be parsed.
        case malformed = "netlink_malformed"
        /// The kernel's tables kept changing while they were read, so the dump may be incomplete.
        case dumpInterrupted = "netlink_dump_interrupted"
        /// A request failed.
        case requestFailed = "netlink_request_failed"
    }

    /// The reason for the loss.
    public let code: Code
    /// The details, for people.
    public let detail: String
    /// The number of datagrams that the kernel dropped since the last report, if known.
    public let dropped: UInt32
    /// The time at which the loss was detected.
    public let observed: ObservedTime

    /// Creates a loss.
    public init(code: Code, detail: String, dropped: UInt32, observed: ObservedTime) {
        self.code = code
        self.detail = detail
        self.dropped = dropped
        self.observed = observed
    }
}

/// A complete resynchronization after a loss.
public struct Resynchronization: Sendable {
    /// The reason.
    public let code: Overrun.Code
    /// The number of attempts, from 1.
    public let attempts: Int
    /// The duration.
    public let duration: Duration
    /// The changes that no message had announced: empty when nothing was missed.
    public let corrections: [NetworkChange]
    /// The time at which it finished.
    public let observed: ObservedTime

    /// Creates a resynchronization.
    public init(
        code: Overrun.Code,
        attempts: Int,
        duration: Duration,
        corrections: [NetworkChange],
        observed: ObservedTime
    ) {
        self.code = code
        self.attempts = attempts
        self.duration = duration
        self.corrections = corrections
        self.observed = observed
    }
}

/// The counters of a monitor since its start.
public struct MonitorStatistics: Sendable, Hashable {
    /// Datagrams read from the event socket.
    public internal(set) var datagrams: UInt64 = 0
    /// Discarded datagrams from other processes.
    public internal(set) var foreign: UInt64 = 0
    /// Messages that could not be parsed.
    public internal(set) var malformed: UInt64 = 0
    /// Messages that did not fit into the buffer.
    public internal(set) var truncated: UInt64 = 0
    /// Overruns of the receive buffer.
    public internal(set) var overruns: UInt64 = 0
    /// Dumps that were repeated because the tables changed during them.
    public internal(set) var interruptedDumps: UInt64 = 0
    /// Resynchronizations after a loss.
    public internal(set) var resynchronizations: UInt64 = 0

    /// Creates counters at zero.
    public init() {}
}
