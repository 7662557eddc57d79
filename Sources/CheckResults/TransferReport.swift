/// The measurements of a bounded transfer: the throughput of an uplink, and its responsiveness while it is loaded.
public struct TransferReport: Sendable, Hashable {
    /// The download; nil when none was wanted or it did not begin.
    public var download: TransferLeg?
    /// The upload; nil when none was wanted or it did not begin.
    public var upload: TransferLeg?
    /// The round trips of small requests before the transfer, on an otherwise idle connection.
    public var idle: RoundTrips?
    /// The interruptions that the download was resumed after, in order.
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
    /// The payload bytes that were transferred: the body, without HTTP's, TLS's and TCP's overhead.
    public var bytes: Int
    /// The payload bytes that were wanted.
    public var wantedBytes: Int
    /// From the first byte of the body to the last, pauses excluded.
    public var duration: Duration
    /// From the request's last byte to the response's first; nil for an upload.
    public var timeToFirstByte: Duration?
    /// The goodput in bits per second; nil when the transfer ended before there was a window.
    public var goodput: Goodput?
    /// The segments that this machine had to send again; nil where the kernel does not count them.
    public var retransmissions: Int?
    /// The round trips of small requests while the transfer ran; nil when there was none.
    public var loaded: LoadedRoundTrips?

    /// Creates a leg of which nothing was transferred yet.
    public init(wantedBytes: Int) {
        bytes = 0
        self.wantedBytes = wantedBytes
        duration = .zero
    }

    /// `true` when every wanted byte was transferred.
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
    /// The time that slow start took, and that the figures leave out.
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
    /// Small requests on a second connection that stays open.
    public var separate: RoundTrips?
    /// Small requests on the transfer's own connection; nil over HTTP/1.1, which has no second stream.
    public var same: RoundTrips?
    /// Round trips a minute under load: 60 s divided by the mean round trip, trimmed at the 95th percentile.
    public var perMinute: Double
    /// The median of ``separate`` less the idle median, at least zero; nil without both.
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
    /// The payload bytes that had come before.
    public var offset: Int
    /// The cause of the interruption.
    public var code: FindingCode
    /// From the interruption to the first byte after it.
    public var pause: Duration
    /// The interface that carried the bytes before; nil when it is not known.
    public var from: String?
    /// The interface that carried the bytes after.
    public var to: String?
    /// `true` when the server sent the object anew, because it has changed or cannot send parts.
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

/// The progress of a transfer, as AFNetworking publishes that of its tasks: at each change of the phase, and at most ten
/// times a second between.
public struct TransferProgress: Sendable, Hashable {
    /// The phases of a transfer.
    public enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
        /// The connections are being opened, and the idle round trips measured.
        case started
        /// Bytes come from the server.
        case download
        /// Bytes go to the server.
        case upload
        /// The path was lost; the transfer waits for another one.
        case suspended
        /// The download continues over another connection.
        case resumed
        /// The transfer is over; the report has its measurements.
        case completed
        /// The transfer was given up before its end.
        case cancelled
    }

    /// The phase.
    public var phase: Phase
    /// The payload bytes of the current direction so far.
    public var bytes: Int
    /// The payload bytes wanted in the current direction.
    public var totalBytes: Int
    /// The payload rate over the last second, in bits per second; nil where there is none yet.
    public var bitsPerSecond: Double?
    /// The last round trip of a small request less the idle median, at least zero; nil while there is none.
    public var addedLatency: Duration?
    /// The time since the transfer began.
    public var elapsed: Duration
    /// The bytes that the transfer has put on the link so far, in all its connections and both directions, with all
    /// headers; 0 where they are not counted.
    public var bytesOnWire: Int
    /// The interface that carries them; nil while there is no connection, or where it is not known.
    public var interface: String?

    /// Creates a progress.
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
