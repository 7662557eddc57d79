extension AgentStatus {
    /// The status of a probe from one vantage point.
    public struct ProbeStatus: Codable, Sendable, Hashable {
        /// The probe's name.
        public var probe: String
        /// The interface that it is bound to; `nil` for the path that the kernel chooses.
        public var interface: String?
        /// The family, `ipv4` or `ipv6`; `nil` for any.
        public var family: String?
        /// The verdict: `unknown`, `up`, `down` or `portal`.
        public var verdict: String?
        /// The code of the verdict; `nil` for `up`.
        public var code: String?
        /// The address of the login page, while a portal answers.
        public var portalURL: String?
        /// True while the verdict flaps.
        @OptionalFlag public var isFlapping: Bool = false
        /// True if the path has changed since the last check.
        @OptionalFlag public var isStale: Bool = false
        /// The moment since which the verdict is this one.
        public var since: Timestamp?
        /// The time since then, in milliseconds, by a monotonic clock.
        public var forMilliseconds: Int64?
        /// The number of consecutive checks with the outcome of the last one; `nil` while it cannot be checked, because
        /// it has no path.
        public var streak: Int?
        /// The moment at which the last check ended, on the clock as it is set now.
        public var last: Timestamp?
        /// The outcome of the last check: `ok`, `failed` or `unknown`.
        public var lastOutcome: String?
        /// The duration of the last check, in milliseconds.
        public var latencyMilliseconds: Int64?
        /// The code of the last check, if it differs from that of the verdict.
        public var lastCode: String?
        /// The details of the last check that was not `ok`, or the path that is missing for a check, for people.
        public var detail: String?
        /// The phase in which the last check ended that was not `ok`, as in ``CheckReport``.
        public var phase: String?
        /// The address to which the last check that was not `ok` connected, or tried to connect.
        public var peer: String?
        /// The first of the server's certificates to expire.
        public var certificate: ExpiringCertificate?
        /// The pins; `nil` for a policy without pins.
        public var pins: [Pin]?
        /// The transfers; `nil` if there was none since the start and in the last 24 hours.
        public var transfer: TransferStatus?

        private enum CodingKeys: String, CodingKey {
            case probe, interface, family, verdict, code
            case portalURL = "portal_url"
            case isFlapping = "flapping"
            case isStale = "stale"
            case since
            case forMilliseconds = "for_ms"
            case streak, last
            case lastOutcome = "last_outcome"
            case latencyMilliseconds = "latency_ms"
            case lastCode = "last_code"
            case detail, phase, peer, certificate, pins, transfer
        }

        /// Creates a probe's status.
        public init(probe: String, verdict: String) {
            self.probe = probe
            self.verdict = verdict
        }

        /// Returns the details of the last check if it failed with this code, otherwise `nil`: the code of the verdict may
        /// be that of earlier checks.
        package func detail(of code: String) -> String? { hasFailed(with: code) ? detail : nil }

        /// The reason that it cannot be checked at present; `nil` if it can, and from agents that do not send it.
        package var obstacle: String? { streak == nil ? detail : nil }

        /// Returns the phase in which the last check ended if it failed with this code, otherwise `nil`.
        package func phase(of code: String) -> String? { hasFailed(with: code) ? phase : nil }

        /// Returns the peer of the last check if it failed with this code, otherwise `nil`.
        func peer(of code: String) -> String? { hasFailed(with: code) ? peer : nil }

        private func hasFailed(with code: String) -> Bool { (lastCode ?? self.code) == code }
    }

    /// The transfers of a probe.
    public struct TransferStatus: Codable, Sendable, Hashable {
        /// The end of the last transfer since the start of the agent, on the clock as it is set now.
        public var last: Timestamp?
        /// The median payload rate of its download, in bits per second.
        public var downloadBitsPerSecond: Int64?
        /// The median payload rate of its upload, in bits per second.
        public var uploadBitsPerSecond: Int64?
        /// The latency that it added, in microseconds.
        public var addedMicroseconds: Int64?
        /// The transfers of the last 24 hours; `nil` without one.
        public var day: Day?

        /// The medians of the last 24 hours.
        public struct Day: Codable, Sendable, Hashable {
            /// The number of transfers.
            public var count: UInt64
            /// The median rate of the downloads, in bits per second.
            public var downloadBitsPerSecond: Int64?
            /// The median rate of the uploads, in bits per second.
            public var uploadBitsPerSecond: Int64?
            /// The median of the added latencies, in microseconds.
            public var addedMicroseconds: Int64?

            private enum CodingKeys: String, CodingKey {
                case count
                case downloadBitsPerSecond = "download_p50_bps"
                case uploadBitsPerSecond = "upload_p50_bps"
                case addedMicroseconds = "added_p50_us"
            }

            /// Creates the medians of transfers; `nil` without one.
            public init?(_ sketches: TransferSketches) {
                guard !sketches.isEmpty else { return nil }
                count = max(sketches.download.count, sketches.upload.count, sketches.added.count)
                downloadBitsPerSecond = sketches.download.quantile(0.5)
                uploadBitsPerSecond = sketches.upload.quantile(0.5)
                addedMicroseconds = sketches.added.quantile(0.5)
            }
        }

        private enum CodingKeys: String, CodingKey {
            case last
            case downloadBitsPerSecond = "download_bps"
            case uploadBitsPerSecond = "upload_bps"
            case addedMicroseconds = "added_us"
            case day
        }

        /// Creates the transfers of a probe; `nil` without one.
        ///
        /// - Parameters:
        ///   - transfer: The last transfer since the start of the agent, and its end.
        ///   - sketches: The transfers of the last 24 hours.
        public init?(last transfer: (transfer: Transfer, ended: Timestamp)?, day sketches: TransferSketches) {
            day = Day(sketches)
            guard transfer != nil || day != nil else { return nil }
            last = transfer?.ended
            downloadBitsPerSecond = transfer?.transfer.download?.goodput?.p50
            uploadBitsPerSecond = transfer?.transfer.upload?.goodput?.p50
            addedMicroseconds = transfer?.transfer.addedMicroseconds
        }
    }

    /// The properties of a certificate that concern its expiry.
    public struct ExpiringCertificate: Codable, Sendable, Hashable {
        /// The subject, in the form of RFC 4514.
        public var subject: String?
        /// The end of its validity.
        public var notAfter: Timestamp?
        /// The remaining whole days; negative after the end.
        public var daysLeft: Int?
        /// The urgent threshold of the probe that it has passed, as in `certificate.expiring`; `nil` if its expiry is no
        /// problem yet.
        ///
        /// Urgent are the last percentage (`10%`), for the server's own certificate alone, all days (`7d`), and `expired`.
        public var threshold: String?

        private enum CodingKeys: String, CodingKey {
            case subject
            case notAfter = "not_after"
            case daysLeft = "days_left"
            case threshold
        }

        /// Creates an expiring certificate.
        public init(subject: String, notAfter: Timestamp, daysLeft: Int, threshold: String? = nil) {
            self.subject = subject
            self.notAfter = notAfter
            self.daysLeft = daysLeft
            self.threshold = threshold
        }

        /// True for a certificate whose expiry is a problem.
        public var isExpiring: Bool { threshold != nil }
    }

    /// The counters of the probe scheduler since the start.
    public struct Schedule: Codable, Sendable, Hashable {
        /// The number of started checks.
        public var checks: UInt64?
        /// The number of results provided by another probe's check.
        public var shared: UInt64?
        /// The number of checks that were skipped because the previous one had not ended, or the agent could not run.
        public var skipped: UInt64?
        /// The number of checks that were not made because of the budget, `allow_cellular` or a metered link.
        public var refused: UInt64?
        /// The longest delay of a check's start, in milliseconds.
        public var longestDelayMilliseconds: Int64?
        /// The bytes used today, by account.
        public var bytes: [String: Int]?
        /// The maximum number of bytes a day, for each account that has one.
        public var bytesPerDay: [String: Int]?

        private enum CodingKeys: String, CodingKey {
            case checks, shared, skipped, refused
            case longestDelayMilliseconds = "longest_delay_ms"
            case bytes
            case bytesPerDay = "bytes_per_day"
        }

        /// Creates the counters.
        public init(
            checks: UInt64,
            shared: UInt64,
            skipped: UInt64,
            refused: UInt64,
            longestDelayMilliseconds: Int64,
            bytes: [String: Int],
            bytesPerDay: [String: Int]? = nil
        ) {
            self.checks = checks
            self.shared = shared
            self.skipped = skipped
            self.refused = refused
            self.longestDelayMilliseconds = longestDelayMilliseconds
            self.bytes = bytes
            self.bytesPerDay = bytesPerDay
        }
    }
}
