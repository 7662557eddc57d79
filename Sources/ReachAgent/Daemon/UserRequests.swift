internal import ServiceSupport
internal import Synchronization

/// A rate limit on the requests of one kind for each user: a burst, and then a number in each second.
///
/// However few connections a check makes (``ProbeScheduler/request(_:)``) and however many reloads share one reading,
/// each costs time, and users share the agent's.
final class UserRequests: Sendable {
    /// The maximum number of users whose requests are remembered.
    private static let maximumUsers = 1024

    /// The number of requests of a user in a burst.
    let burst: Int
    /// The number that may come in each second after that.
    let perSecond: Double
    private let buckets = Mutex<[UInt32: TokenBucket]>([:])

    init(burst: Int, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// The limit on requests for checks.
    static func checks() -> UserRequests { UserRequests(burst: 20, perSecond: 2) }

    /// The limit on requests to reload.
    static func reloads() -> UserRequests { UserRequests(burst: 10, perSecond: 0.5) }

    /// Counts a request of a user.
    ///
    /// - Returns: The time after which to retry if it exceeds the limit; `nil` if it is allowed.
    func delay(of user: UInt32, at now: ContinuousClock.Instant = .now) -> Duration? {
        buckets.withLock { buckets in
            if buckets[user] == nil, buckets.count >= Self.maximumUsers {
                buckets = buckets.filter { !$0.value.isFull(at: now) }
                guard buckets.count < Self.maximumUsers else { return .seconds(1) }
            }
            var bucket = buckets[user] ?? TokenBucket(capacity: burst, perSecond: perSecond)
            defer { buckets[user] = bucket }
            return bucket.take(at: now) ? nil : bucket.delay(at: now)
        }
    }
}
