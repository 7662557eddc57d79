/// Everything that one run has measured.
///
/// A part that was not asked for is missing.
struct Report: Codable, Sendable {
    /// Changes when the meaning of a field does.
    var schema = 1
    var environment: HostEnvironment
    var latency: [LatencyResult]?
    var flood: [LatencyResult]?
    var churn: [ChurnResult]?
    var idle: [IdleResult]?
    var verdicts: [Verdict] = []

    init(environment: HostEnvironment) { self.environment = environment }
}

/// A figure beside its target.
struct Verdict: Codable, Sendable {
    let name: String
    let value: Double
    /// The largest value that meets the target.
    let limit: Double
    let isMet: Bool

    init(_ name: String, _ value: Double, atMost limit: Double) {
        self.name = name
        self.value = value
        self.limit = limit
        // Written so that "not a number", where nothing could be measured, misses.
        isMet = value <= limit
    }
}
