/// The measurements of a bounded transfer: the throughput of an uplink, and its responsiveness while it is loaded.
public struct TransferReport: Sendable, Hashable {
    /// The download; nil if none was requested or it did not start.
    public var download: TransferLeg?
    /// The upload; nil if none was requested or it did not start.
    public var upload: TransferLeg?
    /// The round trips of small requests before the transfer, on an otherwise idle connection.
    public var idle: RoundTrips?
    /// The interruptions after which the download was resumed, in order.
    public var seams: [TransferSeam]

    /// Creates a report.
    public init(
        download: TransferLeg? = nil,
        upload: TransferLeg? = nil,
        idle: RoundTrips? = nil,
        seams: [TransferSeam] = []
    ) {
        self.download = download
        self.upload = upload
        self.idle = idle
        self.seams = seams
    }
}

/// The direction of a transfer.
public enum TransferDirection: String, Sendable, Hashable, CaseIterable, Codable {
    /// From the server.
    case download
    /// To the server.
    case upload
}

/// One direction of a transfer.
public struct TransferLeg: Sendable, Hashable {
    /// The payload bytes that were transferred: the body, without HTTP, TLS and TCP overhead.
    public var bytes: Int
    /// The requested payload bytes.
    public var wantedBytes: Int
    /// The time from the first byte of the body to the last, excluding pauses.
    public var duration: Duration
    /// The time from the request's last byte to the response's first; nil for an upload.
    public var timeToFirstByte: Duration?
    /// The goodput in bits per second; nil if the transfer was too short to measure it.
    public var goodput: Goodput?
    /// The segments that this machine retransmitted; nil if the kernel does not count them.
    public var retransmissions: Int?
    /// The round trips of small requests while the transfer ran; nil without any.
    public var loaded: LoadedRoundTrips?

    /// Creates a leg without any transferred bytes.
    public init(wantedBytes: Int) {
        bytes = 0
        self.wantedBytes = wantedBytes
        duration = .zero
    }

    /// `true` if all requested bytes were transferred.
    public var isComplete: Bool { bytes >= wantedBytes }
}

/// The payload rate of a transfer in windows of 100 ms, without slow start.
public struct Goodput: Sendable, Hashable {
    /// The median, in bits per second.
    public var p50: Double
    /// The 95th percentile, in bits per second.
    public var p95: Double
    /// The mean over all windows after slow start, in bits per second.
    public var mean: Double
    /// The number of windows.
    public var windows: Int
    /// The duration of slow start, which the figures exclude.
    public var slowStart: Duration

    /// Creates the figures.
    public init(p50: Double, p95: Double, mean: Double, windows: Int, slowStart: Duration) {
        self.p50 = p50
        self.p95 = p95
        self.mean = mean
        self.windows = windows
        self.slowStart = slowStart
    }
}

/// The durations of a number of round trips.
public struct RoundTrips: Sendable, Hashable {
    /// The number of round trips.
    public var count: Int
    /// The shortest.
    public var minimum: Duration
    /// The median.
    public var p50: Duration
    /// The 95th percentile.
    public var p95: Duration

    /// Creates the figures.
    public init(count: Int, minimum: Duration, p50: Duration, p95: Duration) {
        self.count = count
        self.minimum = minimum
        self.p50 = p50
        self.p95 = p95
    }
}

/// The responsiveness of a loaded uplink (draft-ietf-ippm-responsiveness).
public struct LoadedRoundTrips: Sendable, Hashable {
    /// The round trips of small requests on a second connection that stays open.
    public var separate: RoundTrips?
    /// The round trips of small requests on the transfer's own connection; nil over HTTP/1.1, which has no second
    /// stream.
    public var same: RoundTrips?
    /// The round trips per minute under load: 60 s divided by the mean round trip, trimmed at the 95th percentile.
    public var perMinute: Double
    /// The median of ``separate`` minus the idle median, at least zero; nil without both.
    public var added: Duration?

    /// Creates the figures.
    public init(separate: RoundTrips? = nil, same: RoundTrips? = nil, perMinute: Double, added: Duration? = nil) {
        self.separate = separate
        self.same = same
        self.perMinute = perMinute
        self.added = added
    }
}

/// An interruption of a download, and its resumption.
public struct TransferSeam: Sendable, Hashable {
    /// The payload bytes received before the interruption.
    public var offset: Int
    /// The cause of the interruption.
    public var code: FindingCode
    /// The time from the interruption to the first byte after it.
    public var pause: Duration
    /// The interface before the interruption; nil if unknown.
    public var from: String?
    /// The interface after the interruption; nil if unknown.
    public var to: String?
    /// `true` if the server sent the object from its start, because the object has changed or ranges are not supported.
    public var isRestarted: Bool

    /// Creates a seam.
    public init(offset: Int, code: FindingCode, pause: Duration, from: String?, to: String?, isRestarted: Bool) {
        self.offset = offset
        self.code = code
        self.pause = pause
        self.from = from
        self.to = to
        self.isRestarted = isRestarted
    }
}

/// The progress of a transfer, published (as AFNetworking does for its tasks) at each change of phase, and at most ten
/// times a second in between.
public struct TransferProgress: Sendable, Hashable {
    /// The phases of a transfer.
    public enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
        /// The connections are being opened, and the idle round trips measured.
        case started
        /// The download is running.
        case download
        /// The upload is running.
        case upload
        /// The path was lost; the transfer waits for another one.
        case suspended
        /// The download continues over another connection.
        case resumed
        /// The transfer has finished; the report contains its measurements.
        case completed
        /// The transfer was cancelled before it finished.
        case cancelled
    }

    /// The phase.
    public var phase: Phase
    /// The payload bytes of the current direction so far.
    public var bytes: Int
    /// The requested payload bytes of the current direction.
    public var totalBytes: Int
    /// The payload rate over the last second, in bits per second; nil if not measured yet.
    public var bitsPerSecond: Double?
    /// The last round trip of a small request minus the idle median, at least zero; nil before the first one.
    public var addedLatency: Duration?
    /// The time since the transfer started.
    public var elapsed: Duration
    /// The bytes on the link so far, over all connections of the transfer and both directions, including all headers; 0
    /// if they are not counted.
    public var bytesOnWire: Int
    /// The interface of the transfer; nil without a connection, or if unknown.
    public var interface: String?

    /// Creates a progress value.
    public init(
        phase: Phase,
        bytes: Int = 0,
        totalBytes: Int = 0,
        bitsPerSecond: Double? = nil,
        addedLatency: Duration? = nil,
        elapsed: Duration = .zero,
        bytesOnWire: Int = 0,
        interface: String? = nil
    ) {
        self.phase = phase
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.bitsPerSecond = bitsPerSecond
        self.addedLatency = addedLatency
        self.elapsed = elapsed
        self.bytesOnWire = bytesOnWire
        self.interface = interface
    }
}
