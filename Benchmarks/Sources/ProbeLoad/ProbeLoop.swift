internal import BenchmarkKit
internal import Probes

/// Makes one check again and again, several at a time.
struct ProbeLoop: Sendable {
    struct Result: Sendable {
        var latencies = LatencyHistogram()
        var failures = 0
        /// The first failure in words.
        var failure: String?
    }

    let prober: Prober
    let probe: Probe
    /// Whether each check has an evaluator that remembers nothing.
    let evaluatesTrustAnew: Bool

    /// Makes so many checks; a finished one is followed by the next at once.
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
