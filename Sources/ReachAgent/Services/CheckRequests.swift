internal import Synchronization

/// How many checks each user may request: a few at once, and then some in each second.
///
/// However few connections a request makes (``ProbeScheduler/request(_:)``), looking at all points costs time, and users
/// share the agent's.
final class CheckRequests: Sendable {
    /// A user's requests that may come at once.
    static let burst = 20
    /// How many may come in each second after that.
    static let perSecond = 2.0
    /// The most users whose requests are remembered.
    private static let mostUsers = 1024

    private let buckets = Mutex<[UInt32: TokenBucket]>([:])

    /// Counts a request of a user.
    ///
    /// - Returns: The time after which to try again when it is one too many; `nil` when it may be answered.
    func delay(of user: UInt32, at now: ContinuousClock.Instant = .now) -> Duration? {
        buckets.withLock { buckets in
            if buckets[user] == nil, buckets.count >= Self.mostUsers {
                buckets = buckets.filter { !$0.value.isFull(at: now) }
                guard buckets.count < Self.mostUsers else { return .seconds(1) }
            }
            var bucket = buckets[user] ?? TokenBucket(capacity: Self.burst, perSecond: Self.perSecond)
            defer { buckets[user] = bucket }
            return bucket.take(at: now) ? nil : bucket.delay(at: now)
        }
    }
}
