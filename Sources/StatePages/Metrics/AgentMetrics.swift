public import AgentEvents

/// The values of the metrics at the time of a scrape.
public struct AgentMetrics: Sendable {
    /// The status; its lists of probes and hooks are not used, because they may be truncated.
    public var status: AgentStatus
    /// The probes, one value for each vantage of a probe.
    public var probes: [ProbeMetrics]
    /// The hooks.
    public var hooks: [AgentStatus.HookStatus]
    /// The numbers of published events.
    public var transitions: [TransitionCount]
    /// The seconds that the agent has spent in each connectivity.
    public var secondsByConnectivity: [String: Double]
    /// The agent's process; `nil` if the kernel does not provide its data.
    public var process: ProcessMetrics?

    /// Creates the values.
    public init(
        status: AgentStatus,
        probes: [ProbeMetrics] = [],
        hooks: [AgentStatus.HookStatus] = [],
        transitions: [TransitionCount] = [],
        secondsByConnectivity: [String: Double] = [:],
        process: ProcessMetrics? = nil
    ) {
        self.status = status
        self.probes = probes
        self.hooks = hooks
        self.transitions = transitions
        self.secondsByConnectivity = secondsByConnectivity
        self.process = process
    }

    /// The number of events with one type and one code.
    public struct TransitionCount: Sendable, Hashable {
        /// The type, without `reachagent.`.
        public var type: String
        /// The code of the cause.
        public var code: String
        /// The number since the start of the agent.
        public var count: UInt64

        /// Creates a count.
        public init(type: String, code: String, count: UInt64) {
            self.type = type
            self.code = code
            self.count = count
        }
    }

    /// The resources of the agent's process.
    public struct ProcessMetrics: Sendable, Hashable {
        /// The CPU time in seconds.
        public var cpuSeconds: Double
        /// The memory in use, in bytes.
        public var residentBytes: UInt64
        /// The address space, in bytes.
        public var virtualBytes: UInt64
        /// The number of threads.
        public var threads: Int
        /// The number of open files; `nil` if the kernel does not provide it.
        public var openFiles: Int?
        /// The maximum number of open files.
        public var maximumFiles: UInt64
        /// The start time, in seconds since 1970.
        public var started: Double

        /// Creates the values.
        public init(
            cpuSeconds: Double,
            residentBytes: UInt64,
            virtualBytes: UInt64,
            threads: Int,
            openFiles: Int?,
            maximumFiles: UInt64,
            started: Double
        ) {
            self.cpuSeconds = cpuSeconds
            self.residentBytes = residentBytes
            self.virtualBytes = virtualBytes
            self.threads = threads
            self.openFiles = openFiles
            self.maximumFiles = maximumFiles
            self.started = started
        }
    }
}

/// The metrics of a probe from one vantage.
public struct ProbeMetrics: Sendable {
    /// The probe's name.
    public var probe: String
    /// The interface to which it is bound; empty for the path that the kernel chooses.
    public var device: String
    /// The family; empty for any.
    public var family: String
    /// The verdict: `unknown`, `up`, `down` or `portal`.
    public var verdict: String
    /// The code of the verdict; `nil` for `up`.
    public var code: String?
    /// The time at which the verdict changed last, in seconds since 1970.
    public var since: Double?
    /// The seconds between two scheduled checks at present; `nil` for a probe that is not scheduled.
    public var interval: Double?
    /// The last check; `nil` before the first one.
    public var last: CheckMetrics?
    /// The checks so far.
    public var checks: CheckCounts
    /// The validity period of the certificate that expires first, in seconds since 1970.
    public var certificate: (notBefore: Double, notAfter: Double)?
    /// The transfers; `nil` for a probe without transfers.
    public var transfers: TransferMetrics?

    /// Creates a probe without checks.
    public init(probe: String, device: String = "", family: String = "", verdict: String) {
        self.probe = probe
        self.device = device
        self.family = family
        self.verdict = verdict
        checks = CheckCounts()
    }
}

/// The figures of one check; those of a phase that was not reached are absent.
public struct CheckMetrics: Sendable, Hashable {
    /// The outcome: `ok`, `failed` or `unknown`.
    public var outcome: String
    /// The end of the check, in seconds since 1970.
    public var ended: Double
    /// The duration in seconds.
    public var seconds: Double
    /// The seconds of the name lookups.
    public var lookupSeconds: Double?
    /// The seconds of each phase of an HTTP check, over all redirects, in order.
    public var httpPhases: [Phase] = []
    /// The seconds of each phase of an ICMP check.
    public var icmpPhases: [Phase] = []
    /// The seconds of each phase of a DNS check.
    public var dnsPhases: [Phase] = []
    /// The status code of the last response.
    public var httpStatus: Int?
    /// The HTTP version of the last response, such as `1.1`.
    public var httpVersion: String?
    /// The size of the last response's body as sent, in bytes.
    public var bodyBytes: Int?
    /// The number of followed redirects; `nil` for checks other than HTTP.
    public var redirects: Int?
    /// `true` if the last request was sent over TLS; `nil` for checks other than HTTP.
    public var isTLS: Bool?
    /// The TLS version, such as `TLSv1.3`.
    public var tlsVersion: String?
    /// The IP version of the connection: 4 or 6.
    public var ipVersion: Int?

    /// A phase and its duration.
    public struct Phase: Sendable, Hashable {
        /// The name of the phase in blackbox_exporter.
        public var name: String
        /// The duration in seconds.
        public var seconds: Double

        /// Creates a phase.
        public init(_ name: String, seconds: Double) {
            self.name = name
            self.seconds = seconds
        }
    }

    /// Creates the figures of a check.
    public init(outcome: String, ended: Double, seconds: Double) {
        self.outcome = outcome
        self.ended = ended
        self.seconds = seconds
    }
}

/// The numbers of checks by outcome, and the histogram of their durations.
public struct CheckCounts: Sendable, Hashable {
    /// The indexes of the histogram's buckets whose upper bounds the metrics show: the powers of two from 1/4096 s to
    /// 32 s.
    ///
    /// Every scrape contains all of them, including empty ones, because a series that appears later has no rate.
    public static let shownBuckets = Array(stride(from: -96, through: 40, by: 8))

    /// The number of checks that were as expected.
    public private(set) var ok: UInt64 = 0
    /// The number of checks that failed.
    public private(set) var failed: UInt64 = 0
    /// The number of checks without a conclusion about the target.
    public private(set) var unknown: UInt64 = 0
    /// The durations of the `ok` checks other than transfers, in the histogram that summaries and reports use too.
    public private(set) var durations = ExponentialHistogram()

    /// Creates empty counts.
    public init() {}

    /// The upper bounds of the shown buckets in seconds, each with the number of durations up to it.
    public var cumulated: [(bound: Double, count: UInt64)] {
        var rest = durations.buckets[...]
        var count: UInt64 = 0
        return Self.shownBuckets.map { index in
            while let bucket = rest.first, bucket.index <= index {
                count += bucket.count
                rest.removeFirst()
            }
            return (ExponentialHistogram.upperBound(ofBucket: index), count)
        }
    }

    /// Counts a check.
    ///
    /// - Parameters:
    ///   - outcome: `ok`, `failed` or `unknown`.
    ///   - seconds: The duration; `nil` for a transfer, whose duration is no latency.
    public mutating func add(outcome: String, seconds: Double?) {
        switch outcome {
        case "ok":
            ok += 1
            if let seconds { durations.add(microseconds: Int64(max(0, min(seconds, 1e9)) * 1_000_000)) }
        case "failed": failed += 1
        default: unknown += 1
        }
    }
}

/// The figures of a probe's transfers.
public struct TransferMetrics: Sendable, Hashable {
    /// The newest transfer that measured a rate and did not yield to other traffic; `nil` before the first one.
    public private(set) var last: Transfer?
    /// The end of that transfer, in seconds since 1970.
    public var ended: Double?
    /// The payload bytes received by all transfers since the start of the agent.
    public private(set) var downloadedBytes: UInt64 = 0
    /// The payload bytes sent by all transfers since the start of the agent.
    public private(set) var uploadedBytes: UInt64 = 0

    /// Creates empty figures.
    public init() {}

    /// Adds a transfer.
    ///
    /// - Parameters:
    ///   - transfer: The measurements.
    ///   - ended: The end of the transfer, in seconds since 1970.
    ///   - counts: `false` for a transfer that yielded to other traffic, of which only the bytes count.
    public mutating func add(_ transfer: Transfer, endedAt ended: Double, counts: Bool) {
        downloadedBytes &+= UInt64(clamping: transfer.download?.bytes ?? 0)
        uploadedBytes &+= UInt64(clamping: transfer.upload?.bytes ?? 0)
        if counts { (last, self.ended) = (transfer, ended) }
    }
}
