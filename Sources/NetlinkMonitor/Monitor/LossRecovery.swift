/// When to read everything again after messages were lost.
///
/// Pure. Attempts follow each other at a growing distance, so that neither a kernel that keeps failing nor a flood that
/// keeps overrunning the buffer makes the listener spin; but they never end.
struct LossRecovery {
    private static let shortestPause: Duration = .milliseconds(20)
    private static let longestPause: Duration = .seconds(10)

    /// Why the view may be wrong; `nil` while it is right.
    private(set) var code: Overrun.Code?
    /// How many attempts were made since the loss.
    private(set) var attempts = 0
    private var notBefore: ContinuousClock.Instant?

    var isPending: Bool { code != nil }

    /// When the next attempt is due: `nil` when none is, or when it may begin at once.
    var retryDue: ContinuousClock.Instant? { isPending ? notBefore : nil }

    func isDue(_ now: ContinuousClock.Instant) -> Bool { notBefore.map { now >= $0 } ?? true }

    /// Messages were lost.
    ///
    /// The first reason is kept until the view is right again.
    mutating func note(_ code: Overrun.Code) { self.code = self.code ?? code }

    mutating func begin() { attempts += 1 }

    /// The view is right again.
    ///
    /// The next re-reading waits in proportion to what this one took.
    mutating func succeeded(at now: ContinuousClock.Instant, took duration: Duration) {
        code = nil
        attempts = 0
        notBefore = now.advanced(by: max(Self.shortestPause, duration * 4))
    }

    /// An attempt failed; returns the pause before the next.
    mutating func failed(at now: ContinuousClock.Instant) -> Duration {
        let pause = min(Self.shortestPause * (1 << min(attempts, 12)), Self.longestPause)
        notBefore = now.advanced(by: pause)
        return pause
    }
}
