internal import BenchmarkKit
internal import Synchronization

/// The lateness of the checks that are recorded while a measurement is open.
final class LatenessLog: Sendable {
    struct Result: Sendable {
        var histogram = LatencyHistogram()
        var failures = 0
        var isOpen = false
    }

    private let result = Mutex(Result())

    func begin() { result.withLock { $0 = Result(isOpen: true) } }

    func end() -> Result {
        result.withLock { result in
            defer { result.isOpen = false }
            return result
        }
    }

    /// Records one check; an early start counts as no lateness.
    func record(_ lateness: Duration, isFailure: Bool) {
        let (seconds, attoseconds) = max(.zero, min(lateness, .seconds(50))).components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        result.withLock { result in
            guard result.isOpen else { return }
            if !result.histogram.record(nanoseconds) || isFailure { result.failures += 1 }
        }
    }
}
