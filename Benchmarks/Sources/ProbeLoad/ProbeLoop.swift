internal import BenchmarkKit
internal import Probes

/// A loop that repeats one check, several at a time.
struct ProbeLoop: Sendable {
    struct Result: Sendable {
        var latencies = LatencyHistogram()
        var failures = 0
        /// The description of the first failure.
        var failure: String?
    }

    let prober: Prober
    let probe: Probe
    /// A Boolean value that indicates whether each check uses a new trust evaluator, with nothing cached.
    let evaluatesTrustAnew: Bool

    /// Makes a number of checks; when one finishes, the next one starts at once.
    func run(count: Int, concurrency: Int) async -> Result {
        await withTaskGroup(of: (nanoseconds: UInt64, failure: String?).self) { group in
            var result = Result()
            var started = 0
            func start() {
                started += 1
                group.addTask { await check() }
            }
            while started < min(count, concurrency) { start() }
            while let (nanoseconds, failure) = await group.next() {
                if started < count { start() }
                let isRecorded = result.latencies.record(nanoseconds)
                if failure != nil || !isRecorded {
                    result.failures += 1
                    result.failure = result.failure ?? failure
                }
            }
            return result
        }
    }

    private func check() async -> (nanoseconds: UInt64, failure: String?) {
        var probe = probe
        if evaluatesTrustAnew { probe.trust = TrustEvaluator(anchors: probe.trust.anchors) }
        let started = MonotonicClock.nanoseconds
        let report = await prober.check(probe)
        let nanoseconds = MonotonicClock.nanoseconds - started
        guard case .ok = report.verdict else {
            return (nanoseconds, report.findings.first.map { "\($0.code): \($0.evidence)" } ?? "\(report.verdict)")
        }
        return (nanoseconds, nil)
    }
}
