/// The measurements of a bounded transfer: throughput, and round trips before and during it.
public struct Transfer: Codable, Sendable, Hashable {
    /// The download; `nil` if none was requested or it did not start.
    public var download: Leg?
    /// The upload; `nil` if none was requested or it did not start.
    public var upload: Leg?
    /// The round trips of small requests before the transfer.
    public var idle: RoundTrips?
    /// The interruptions after which the download was resumed, in order.
    @OptionalList public var seams: [Seam]

    /// Creates the measurements of a transfer.
    public init(download: Leg? = nil, upload: Leg? = nil, idle: RoundTrips? = nil, seams: [Seam] = []) {
        self.download = download
        self.upload = upload
        self.idle = idle
        self.seams = seams
    }

    /// The added latency of the direction that adds more, in microseconds; `nil` if there is none.
    public var addedMicroseconds: Int64? {
        [download, upload].compactMap { $0?.loaded?.addedMicroseconds }.max()
    }

    /// One direction.
    public struct Leg: Codable, Sendable, Hashable {
        /// The payload bytes that were transferred.
        public var bytes: Int
        /// The payload bytes that were requested.
        public var wantedBytes: Int
        /// The time from the first byte of the body to the last, excluding pauses, in microseconds.
        public var durationMicroseconds: Int64
        /// The time from the end of the request to the first byte of the response, in microseconds; `nil` for an
        /// upload.
        public var firstByteMicroseconds: Int64?
        /// The payload rate; `nil` if the transfer ended before the first window.
        public var goodput: Goodput?
        /// The segments that this machine retransmitted; `nil` if the kernel does not count them.
        public var retransmissions: Int?
        /// The round trips during the transfer; `nil` if there were none.
        public var loaded: Loaded?

        private enum CodingKeys: String, CodingKey {
            case bytes
            case wantedBytes = "wanted_bytes"
            case durationMicroseconds = "duration_us"
            case firstByteMicroseconds = "first_byte_us"
            case goodput, retransmissions, loaded
        }

        /// Creates a direction.
        public init(
            bytes: Int,
            wantedBytes: Int,
            durationMicroseconds: Int64,
            firstByteMicroseconds: Int64? = nil,
            goodput: Goodput? = nil,
            retransmissions: Int? = nil,
            loaded: Loaded? = nil
        ) {
            self.bytes = bytes
            self.wantedBytes = wantedBytes
            self.durationMicroseconds = durationMicroseconds
            self.firstByteMicroseconds = firstByteMicroseconds
            self.goodput = goodput
            self.retransmissions = retransmissions
            self.loaded = loaded
        }
    }

    /// The payload rate in windows of 100 ms after slow start, in bits per second.
    public struct Goodput: Codable, Sendable, Hashable {
        /// The median.
        public var p50: Int64
        /// The 95th percentile.
        public var p95: Int64
        /// The mean.
        public var mean: Int64
        /// The number of windows.
        public var windows: Int
        /// The duration of slow start, which the rates exclude, in microseconds.
        public var slowStartMicroseconds: Int64

        private enum CodingKeys: String, CodingKey {
            case p50 = "p50_bps"
            case p95 = "p95_bps"
            case mean = "mean_bps"
            case windows
            case slowStartMicroseconds = "slow_start_us"
        }

        /// Creates a rate.
        public init(p50: Int64, p95: Int64, mean: Int64, windows: Int, slowStartMicroseconds: Int64) {
            self.p50 = p50
            self.p95 = p95
            self.mean = mean
            self.windows = windows
            self.slowStartMicroseconds = slowStartMicroseconds
        }
    }

    /// The durations of a number of round trips, in microseconds.
    public struct RoundTrips: Codable, Sendable, Hashable {
        /// The number of round trips.
        public var count: Int
        /// The shortest.
        public var minimum: Int64
        /// The median.
        public var p50: Int64
        /// The 95th percentile.
        public var p95: Int64

        private enum CodingKeys: String, CodingKey {
            case count
            case minimum = "min_us"
            case p50 = "p50_us"
            case p95 = "p95_us"
        }

        /// Creates round trips.
        public init(count: Int, minimum: Int64, p50: Int64, p95: Int64) {
            self.count = count
            self.minimum = minimum
            self.p50 = p50
            self.p95 = p95
        }
    }

    /// The round trips of small requests on a loaded uplink.
    public struct Loaded: Codable, Sendable, Hashable {
        /// The round trips on a second connection.
        public var separate: RoundTrips?
        /// The round trips on the transfer's own connection; `nil` over HTTP/1.1.
        public var same: RoundTrips?
        /// The median of ``separate`` minus the idle median, in microseconds; `nil` without both.
        public var addedMicroseconds: Int64?
        /// The round trips per minute (draft-ietf-ippm-responsiveness).
        public var perMinute: Int64

        private enum CodingKeys: String, CodingKey {
            case separate, same
            case addedMicroseconds = "added_us"
            case perMinute = "rpm"
        }

        /// Creates the round trips of a loaded uplink.
        public init(
            separate: RoundTrips? = nil,
            same: RoundTrips? = nil,
            addedMicroseconds: Int64? = nil,
            perMinute: Int64
        ) {
            self.separate = separate
            self.same = same
            self.addedMicroseconds = addedMicroseconds
            self.perMinute = perMinute
        }
    }

    /// An interruption of a download, and its resumption.
    public struct Seam: Codable, Sendable, Hashable {
        /// The payload bytes received before the interruption.
        public var offset: Int
        /// The code of the interruption.
        public var code: String
        /// The time from the interruption to the next byte, in microseconds.
        public var pauseMicroseconds: Int64
        /// The interface before; `nil` if it is not known.
        public var from: String?
        /// The interface after; `nil` if it is not known.
        public var to: String?
        /// True if the server sent the object from the start.
        @OptionalFlag public var isRestarted: Bool

        private enum CodingKeys: String, CodingKey {
            case offset, code
            case pauseMicroseconds = "pause_us"
            case from, to
            case isRestarted = "restarted"
        }

        /// Creates an interruption.
        public init(
            offset: Int,
            code: String,
            pauseMicroseconds: Int64,
            from: String? = nil,
            to: String? = nil,
            isRestarted: Bool = false
        ) {
            self.offset = offset
            self.code = code
            self.pauseMicroseconds = pauseMicroseconds
            self.from = from
            self.to = to
            self.isRestarted = isRestarted
        }
    }
}
