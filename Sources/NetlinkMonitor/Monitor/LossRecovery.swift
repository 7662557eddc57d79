/// The schedule of resynchronizations after lost messages.
///
/// Pure. Attempts back off, so that neither a kernel that keeps failing nor a flood that keeps overrunning the buffer
/// makes the listener spin; but they never end.
struct LossRecovery {
    private static let shortestPause: Duration = .milliseconds(20)
    private static let longestPause: Duration = .seconds(10)

    /// The reason the view may be wrong; `nil` while it is right.
    private(set) var code: Overrun.Code?
    /// The number of attempts since the loss.
    private(set) var attempts = 0
    private var notBefore: ContinuousClock.Instant?

    var isPending: Bool { code != nil }

    /// The time of the next attempt: `nil` when none is pending, or when it may start at once.
    var retryDue: ContinuousClock.Instant? { isPending ? notBefore : nil }

    func isDue(_ now: ContinuousClock.Instant) -> Bool { notBefore.map { now >= $0 } ?? true }

    /// Records a loss.
    ///
    /// The first reason is kept until the view is right again.
    mutating func note(_ code: Overrun.Code) { self.code = self.code ?? code }

    mutating func begin() { attempts += 1 }

    /// Records a successful resynchronization.
    ///
    /// The delay before the next one is proportional to the duration of this one.
    mutating func succeeded(at now: ContinuousClock.Instant, took duration: Duration) {
        code = nil
        attempts = 0
        notBefore = now.advanced(by: max(Self.shortestPause, duration * 4))
    }

    /// Records a failed attempt; returns the delay before the next.
    mutating func failed(at now: ContinuousClock.Instant) -> Duration {
        let pause = min(Self.shortestPause * (1 << min(attempts, 12)), Self.longestPause)
        notBefore = now.advanced(by: pause)
        return pause
    }
}
