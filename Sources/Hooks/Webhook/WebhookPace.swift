internal import FoundationEssentials

/// The retry delays of a webhook, and the clock of its signatures.
package struct WebhookPace: Sendable {
    /// Returns the delay after a number of failed attempts, counted or not; `requested` is the minimum that the server has
    /// requested.
    package var pause: @Sendable (_ failures: Int, _ requested: Duration?) -> Duration
    /// Returns the time for signatures and for a server's dates, in seconds since 1970.
    package var timestamp: @Sendable () -> Int
    /// The time after which a request that must not use its link checks the link again.
    ///
    /// No event reports that a link without a probe has another underlay, nor what lasts less than its settle time.
    package var recheck: Duration

    /// Creates a pace; by default that of the agent.
    package init(
        pause: @escaping @Sendable (_ failures: Int, _ requested: Duration?) -> Duration = WebhookPace.standardPause,
        timestamp: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) },
        recheck: Duration = WebhookPace.standardRecheck
    ) {
        self.pause = pause
        self.timestamp = timestamp
        self.recheck = recheck
    }

    /// The interval at which the agent checks whether a request may use its link by now.
    package static let standardRecheck = Duration.seconds(5)
    /// The maximum backoff delay.
    private static let longestPause = 60
    /// The maximum delay that a server can request.
    private static let longestRequestedPause = Duration.seconds(300)

    /// Returns 1, 2, 4 … 60 seconds, or the delay requested by the server if that is longer; at most 300 seconds.
    @Sendable
    package static func standardPause(failures: Int, requested: Duration?) -> Duration {
        let doublings = min(max(failures, 1) - 1, 6)
        let own = Duration.seconds(min(1 << doublings, longestPause))
        return max(own, min(requested ?? .zero, longestRequestedPause))
    }
}
