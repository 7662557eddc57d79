internal import Testing

@testable internal import NetlinkMonitor

struct LossRecoveryTests {
    private let start = ContinuousClock.now

    @Test(
        "each failed attempt doubles the pause, up to ten seconds",
        arguments: [
            (1, 40), (2, 80), (3, 160), (4, 320), (5, 640), (6, 1280), (7, 2560), (8, 5120), (9, 10_000), (10, 10_000),
            (1000, 10_000),
        ]
    )
    func backoff(attempt: Int, milliseconds: Int) {
        var recovery = LossRecovery()
        recovery.note(.bufferFull)
        for _ in 0..<attempt { recovery.begin() }
        #expect(recovery.failed(at: start) == .milliseconds(milliseconds))
        let due = start.advanced(by: .milliseconds(milliseconds))
        #expect(recovery.retryDue == due)
        #expect(!recovery.isDue(due.advanced(by: .nanoseconds(-1))))
        #expect(recovery.isDue(due))
    }

    @Test("nothing is due without a loss, and recovery from the first loss may start at once")
    func firstLoss() {
        var recovery = LossRecovery()
        #expect(!recovery.isPending && recovery.retryDue == nil)
        recovery.note(.truncated)
        #expect(recovery.isPending && recovery.isDue(start) && recovery.retryDue == nil)
    }

    @Test("the first reason is kept until recovery succeeds")
    func reason() {
        var recovery = LossRecovery()
        recovery.note(.malformed)
        recovery.note(.bufferFull)
        #expect(recovery.code == .malformed)
        recovery.begin()
        recovery.succeeded(at: start, took: .zero)
        #expect(recovery.code == nil && recovery.attempts == 0)
        recovery.note(.bufferFull)
        #expect(recovery.code == .bufferFull)
    }

    @Test(
        "the next resynchronization waits four times as long as the last one took, at least 20 ms and at most ten seconds",
        arguments: [
            (0, 20), (5, 20), (6, 24), (1000, 4000), (2500, 10_000), (2501, 10_000), (10_000, 10_000),
            // The process was stopped for an hour meanwhile.
            (3_600_000, 10_000),
        ]
    )
    func distance(tookMilliseconds: Int, pauseMilliseconds: Int) {
        var recovery = LossRecovery()
        recovery.note(.bufferFull)
        recovery.begin()
        recovery.succeeded(at: start, took: .milliseconds(tookMilliseconds))
        #expect(recovery.retryDue == nil)
        recovery.note(.bufferFull)
        #expect(recovery.retryDue == start.advanced(by: .milliseconds(pauseMilliseconds)))
    }
}
