internal import FoundationEssentials

/// When a webhook that came to nothing is sent again, and what time it is.
package struct WebhookPace: Sendable {
    /// How long to wait after so many failures; `asked` is what the server asked for at least.
    package var pause: @Sendable (_ failures: Int, _ asked: Duration?) -> Duration
    /// The time for signatures, in seconds since 1970.
    package var timestamp: @Sendable () -> Int

    /// A pace; by default the agent's.
    package init(
        pause: @escaping @Sendable (_ failures: Int, _ asked: Duration?) -> Duration = WebhookPace.standardPause,
        timestamp: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
    ) {
        self.pause = pause
        self.timestamp = timestamp
    }

    /// The longest pause of our own.
    private static let longestPause = 60
    /// The longest pause that a server can ask for.
    private static let longestAskedPause = Duration.seconds(300)

    /// 1, 2, 4 … 60 seconds, or as long as the server asked for when that is longer; at most 300 seconds.
    @Sendable
    package static func standardPause(failures: Int, asked: Duration?) -> Duration {
        let doublings = min(max(failures, 1) - 1, 6)
        let own = Duration.seconds(min(1 << doublings, longestPause))
        return max(own, min(asked ?? .zero, longestAskedPause))
    }
}
