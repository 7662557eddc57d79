internal import CheckResults

/// The evaluation of a probe's transfers.
///
/// A transfer is made only while the connectivity is full, and never decides about it: a slow link is not a lost one.
public struct TransferRule: Sendable, Hashable, Codable {
    /// The good and the bad throughput: of the download, and of the upload where there is no download.
    public var throughput: ThroughputBand?
    /// The good and the bad latency that load adds, in milliseconds; of two directions the worse one counts.
    public var addedLatency: DeadBand?

    /// Creates a rule.
    public init(throughput: ThroughputBand? = nil, addedLatency: DeadBand? = nil) {
        self.throughput = throughput
        self.addedLatency = addedLatency
    }
}

/// Two thresholds of throughput with a band between them in which a measurement has no effect.
public struct ThroughputBand: Sendable, Hashable, Codable {
    /// The minimum good throughput, in bits per second.
    public var good: Double
    /// The maximum bad throughput, in bits per second.
    public var bad: Double

    /// Creates a band; `nil` unless both are finite and not negative, and `good` is above `bad`.
    public init?(good: Double, bad: Double) {
        guard good.isFinite, bad.isFinite, 0 <= bad, bad < good else { return nil }
        self.good = good
        self.bad = bad
    }
}

extension TransferRule {
    /// Returns the vote of a transfer: its own result, unless a measurement overrides it.
    ///
    /// A quantity that was not measured, as that of an object which came too quickly, overrides nothing.
    func vote(_ own: ProbeTrack.Vote, of sample: ProbeSample) -> ProbeTrack.Vote {
        let isSlow = throughput.flatMap { band in sample.throughput.map { $0 <= band.bad } } ?? false
        // Too slow for the bytes that it wants: the throughput is the reason, and the timeout only its consequence.
        if own == .failure(.timeout), isSlow { return .failure(.throughputLow) }
        guard own == .success else { return own }
        if isSlow { return .failure(.throughputLow) }
        let added = sample.addedLatency.map { $0 / .milliseconds(1) }
        if let addedLatency, let added, added >= addedLatency.bad { return .failure(.addedLatencyHigh) }
        if let throughput, let rate = sample.throughput, rate < throughput.good { return .none }
        if let addedLatency, let added, added > addedLatency.good { return .none }
        return own
    }
}
