/// The checks of a probe over one path and in one family, within an hour.
///
/// Summaries of one point can be added: their counts, and their histograms by ``ExponentialHistogram/merge(_:)``.
public struct ProbeSummary: Codable, Sendable, Hashable {
    /// The probe and its vantage point.
    public var point: ProbePoint
    /// The moment at which the first check ended.
    public var from: Timestamp
    /// The moment at which the last check ended.
    public var to: Timestamp
    /// The number of checks that succeeded.
    public var succeeded: Int
    /// The number of checks that failed, by code.
    public var failed: Counts
    /// The number of checks that a fault of this machine prevented, by code.
    public var notChecked: Counts
    /// The durations of the checks that succeeded, excluding transfers, whose durations are not latencies.
    public var latency: ExponentialHistogram
    /// The durations of their phases, summed over redirects.
    public var phases: Phases
    /// The rates and the added latencies of transfers; `nil` without a measurement.
    public var transfer: TransferSketches?

    private enum CodingKeys: String, CodingKey {
        case from, to
        case succeeded = "ok"
        case failed
        case notChecked = "not_checked"
        case latency, phases, transfer
    }

    /// Creates a summary.
    public init(
        point: ProbePoint,
        from: Timestamp,
        to: Timestamp,
        succeeded: Int = 0,
        failed: Counts = Counts(),
        notChecked: Counts = Counts(),
        latency: ExponentialHistogram = ExponentialHistogram(),
        phases: Phases = Phases(),
        transfer: TransferSketches? = nil
    ) {
        self.point = point
        self.from = from
        self.to = to
        self.succeeded = succeeded
        self.failed = failed
        self.notChecked = notChecked
        self.latency = latency
        self.phases = phases
        self.transfer = transfer
    }

    /// Reads the summary, with the point's members beside its own.
    public init(from decoder: any Decoder) throws {
        point = try ProbePoint(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        from = try members.decode(Timestamp.self, forKey: .from)
        to = try members.decode(Timestamp.self, forKey: .to)
        succeeded = min(max(0, try members.decode(Int.self, forKey: .succeeded)), Counts.maximum)
        failed = try members.decodeIfPresent(Counts.self, forKey: .failed) ?? Counts()
        notChecked = try members.decodeIfPresent(Counts.self, forKey: .notChecked) ?? Counts()
        latency = try members.decodeIfPresent(ExponentialHistogram.self, forKey: .latency) ?? ExponentialHistogram()
        phases = try members.decodeIfPresent(Phases.self, forKey: .phases) ?? Phases()
        transfer = try members.decodeIfPresent(TransferSketches.self, forKey: .transfer)?.ifMeasured
    }

    /// Writes the summary, with the point's members before its own.
    public func encode(to encoder: any Encoder) throws {
        try point.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(from, forKey: .from)
        try members.encode(to, forKey: .to)
        try members.encode(succeeded, forKey: .succeeded)
        if failed.total > 0 { try members.encode(failed, forKey: .failed) }
        if notChecked.total > 0 { try members.encode(notChecked, forKey: .notChecked) }
        if latency.count > 0 { try members.encode(latency, forKey: .latency) }
        if !phases.byName.isEmpty { try members.encode(phases, forKey: .phases) }
        try members.encodeIfPresent(transfer?.ifMeasured, forKey: .transfer)
    }
}

extension ProbeSummary {
    /// Numbers of checks by code.
    public struct Counts: Codable, Sendable, Hashable {
        /// The maximum count that is read, so that sums do not overflow.
        static let maximum = 1 << 40

        /// The number of checks for each code, at least 1.
        public private(set) var byCode: [String: Int] = [:]

        /// Creates counts of no checks.
        public init() {}

        /// The total number of checks.
        public var total: Int { byCode.values.reduce(0) { min($0.saturating(adding: $1), 1 << 60) } }

        /// Counts checks with a code.
        public mutating func add(_ code: String, _ count: Int = 1) {
            let sum = byCode[code, default: 0].addingReportingOverflow(count)
            if count > 0, !sum.overflow { byCode[code] = sum.partialValue }
        }

        /// Reads the counts.
        ///
        /// - Throws: `DecodingError` also for more than 1024 codes, or one of more than 256 bytes.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: NameKey.self)
            for key in try members.names() {
                add(key.stringValue, min(try members.decode(Int.self, forKey: key), Self.maximum))
            }
        }

        /// Writes the counts, by ascending codes.
        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: NameKey.self)
            for (code, count) in byCode.sorted(by: { $0.key < $1.key }) {
                try members.encode(count, forKey: NameKey(code))
            }
        }
    }

    /// Histograms of the durations of phases, of which only the buckets are written.
    public struct Phases: Codable, Sendable, Hashable {
        /// The histogram of each phase, such as `resolve`, `connect` or `tls`.
        public private(set) var byName: [String: ExponentialHistogram] = [:]

        /// Creates histograms of no phases.
        public init() {}

        /// Adds the duration of a phase, in microseconds.
        public mutating func add(microseconds: Int64, to phase: String) {
            byName[phase, default: ExponentialHistogram()].add(microseconds: microseconds)
        }

        /// Reads the histograms, whose minimum, maximum and sum follow from the bounds of their buckets.
        ///
        /// - Throws: `DecodingError` also for more than 1024 phases, or a name of more than 256 bytes.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: NameKey.self)
            for key in try members.names() {
                var numbers = try members.nestedUnkeyedContainer(forKey: key)
                byName[key.stringValue] = try ExponentialHistogram(buckets: &numbers)
            }
        }

        /// Writes the histograms, by ascending names.
        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: NameKey.self)
            for (name, histogram) in byName.sorted(by: { $0.key < $1.key }) {
                var numbers = members.nestedUnkeyedContainer(forKey: NameKey(name))
                try histogram.encodeBuckets(to: &numbers)
            }
        }
    }
}
