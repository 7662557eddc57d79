/// What a ``NetworkMonitor`` reports, in the order in which it happened.
public enum NetworkEvent: Sendable {
    /// The kernel's view changed; the first one is complete and has no changes.
    case update(NetworkUpdate)
    /// Messages of the kernel's were lost or could not be read. The view is read again at once.
    case overrun(Overrun)
    /// The view was read again as a whole, and is the kernel's once more.
    case resynchronized(Resynchronization)
    /// Reading the view again has failed; the next attempt follows by itself.
    case resynchronizationFailed(NetlinkError, retryIn: Duration)
}

/// A new view, what is different in it, and when the kernel's message for it was read.
public struct NetworkUpdate: Sendable {
    /// The view.
    public let snapshot: NetworkSnapshot
    /// What is different from the update before it: causes before effects.
    ///
    /// Empty for the first one.
    public let changes: [NetworkChange]
    /// When the message that led to this update was read from the socket.
    public let observed: ObservedTime

    /// An update.
    public init(snapshot: NetworkSnapshot, changes: [NetworkChange], observed: ObservedTime) {
        self.snapshot = snapshot
        self.changes = changes
        self.observed = observed
    }
}

/// One moment on two clocks: one to measure with, and one for people.
public struct ObservedTime: Sendable, Hashable {
    /// The moment on the clock that never jumps and goes on during suspend (CLOCK_BOOTTIME).
    public let instant: ContinuousClock.Instant
    /// Microseconds since 1970-01-01 UTC (CLOCK_REALTIME).
    public let microsecondsSince1970: Int64

    /// A moment.
    public init(instant: ContinuousClock.Instant, microsecondsSince1970: Int64) {
        self.instant = instant
        self.microsecondsSince1970 = microsecondsSince1970
    }
}

/// A loss: messages of the kernel's were dropped or could not be read, so the view may be out of date.
public struct Overrun: Sendable, Hashable {
    /// Why messages were lost; the raw values are stable and may be stored.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The receive buffer was full (ENOBUFS).
        case bufferFull = "netlink_overrun"
        /// A message was longer than the buffer lent to it.
        case truncated = "netlink_truncated"
        /// A message could not be understood.
        case malformed = "netlink_malformed"
        /// The kernel's tables kept changing while they were read, so that what was read may be incomplete.
        case dumpInterrupted = "netlink_dump_interrupted"
        /// A request failed on the way.
        case requestFailed = "netlink_request_failed"
    }

    /// Why messages were lost.
    public let code: Code
    /// The particulars, for people.
    public let detail: String
    /// How many datagrams the kernel dropped since the last report, where it tells.
    public let dropped: UInt32
    /// When the loss was noticed.
    public let observed: ObservedTime

    /// A loss.
    public init(code: Code, detail: String, dropped: UInt32, observed: ObservedTime) {
        self.code = code
        self.detail = detail
        self.dropped = dropped
        self.observed = observed
    }
}

/// A complete re-reading of the kernel's view after a loss.
public struct Resynchronization: Sendable {
    /// Why it was necessary.
    public let code: Overrun.Code
    /// How many attempts it took, from 1.
    public let attempts: Int
    /// How long it took.
    public let duration: Duration
    /// What had changed without a message: empty when nothing was missed.
    public let corrections: [NetworkChange]
    /// When it was finished.
    public let observed: ObservedTime

    /// A re-reading.
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

/// What a monitor counted since it was started.
public struct MonitorStatistics: Sendable, Hashable {
    /// Datagrams read from the event socket.
    public internal(set) var datagrams: UInt64 = 0
    /// Datagrams that another process sent; they were thrown away.
    public internal(set) var foreign: UInt64 = 0
    /// Messages that could not be understood.
    public internal(set) var malformed: UInt64 = 0
    /// Messages that did not fit into the buffer.
    public internal(set) var truncated: UInt64 = 0
    /// Times that the receive buffer was full.
    public internal(set) var overruns: UInt64 = 0
    /// Dumps that had to be begun again because the tables changed under them.
    public internal(set) var interruptedDumps: UInt64 = 0
    /// Complete re-readings after a loss.
    public internal(set) var resynchronizations: UInt64 = 0

    /// Nothing counted yet.
    public init() {}
}
